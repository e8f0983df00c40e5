import { z } from 'zod'
import { countText } from '../../lib/text/count.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { collectFacts, removeTracking } from './redirects/facts.ts'
import { remarks } from './redirects/remarks.ts'
import { trace } from './redirects/trace.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)
const flag = (what: string) => z.boolean().describe(what)

const Hop = z.object({
  n: z.number().int().describe('1 for the first'),
  url: z.string().describe('Address that was asked'),
  status: z.number().int().nullable().describe('HTTP status; null without an answer'),
  status_text: text('Name of the status'),
  location: text('Where it leads, absolute'),
  ms: z.number().int().describe('Milliseconds'),
  ip: text('Address that answered'),
  https: flag('Asked over TLS'),
  server: text('Server header'),
  sets_cookie: flag('Sets cookies'),
  blocked: flag('Not visited: not a public web address'),
  reason: text('Why it was not visited'),
  error: text('What failed: DNS, TLS, connection, …'),
})

export default skill({
  id: 'redirect-trace',
  argument: 'url',
  price: '0.002',
  tags: ['web', 'redirect', 'http'],
  keywords: ['shortened', 'unshorten', 'short', 'expand', 'link', '302'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url, method }) => [parseAddress(url), method],
  target: ({ url }) => toHostname(url),
  title: 'Trace the redirects of an address',
  description:
    'Follows the redirects of a URL one by one, up to 10, and returns every hop with status, target, time, IP and server, and where the trail ends. Finds loops, https upgrades and downgrades, foreign domains, meta refreshes. Free over A2A and MCP, else 0.002 USD.',
  input: z.object({
    url: AddressInput,
    method: z.enum(['GET', 'HEAD']).default('GET').describe('Request method'),
  }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    hops: z.array(Hop).describe('Every request on the way, in order'),
    count: z.number().int().describe('Number of hops'),
    redirect_count: z.number().int().describe('Number of redirects among them'),
    final_url: z.string().describe('Where the trail ends, also when it ends blocked, failed or in a loop'),
    final_status: z.number().int().nullable().describe('Status there; null when it was not reached'),
    loop: flag('It redirects in a circle'),
    too_many: flag('It redirects more than 10 times'),
    https_upgrade: flag('A hop leads from http to https'),
    downgrade: flag('A hop leads from https to http'),
    cross_domain: flag('A hop leads to another registrable domain'),
    sites: z.array(z.string()).describe('Registrable domains on the way'),
    permanent: z.boolean().nullable().describe('All redirects are 301 or 308; null without redirects'),
    total_ms: z.number().int().describe('Milliseconds of all hops'),
    refresh: z
      .object({
        url: z.string().describe('Where it leads, absolute'),
        seconds: z.number().int().describe('After how many seconds'),
        source: z.enum(['header', 'meta']).describe('Refresh header or meta element'),
      })
      .nullable()
      .describe('Refresh of the last page; not followed'),
    script_redirect: text('Where a script of the last page may lead; not followed'),
    clean_url: z.string().describe('final_url without tracking parameters'),
    tracking_params: z.array(z.string()).describe('Names of the tracking parameters of final_url'),
  }),
  main: 'hops',
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/chain/1' }],
  summary: ({ redirect_count: redirectCount, final_url: finalUrl, final_status: finalStatus }) =>
    `${countText(redirectCount, 'redirect')}, then ${finalUrl} (${finalStatus ?? 'no answer'}).`,
}).run(async ({ signal, ...ports }, { url: input, method }) => {
  const url = parseAddress(input) ?? input
  const result = await trace(ports, url, { method, signal })
  const { hops, end, last } = result
  const finalUrl = last.hop.url
  return {
    url,
    hops,
    count: hops.length,
    final_url: finalUrl,
    final_status: last.hop.status,
    loop: end === 'loop',
    too_many: end === 'too_many',
    ...collectFacts(hops),
    refresh: result.refresh,
    script_redirect: result.script,
    ...removeTracking(finalUrl),
    about: {
      sources: hops.filter(({ status }) => status !== null).map(hop => hop.url),
      truncated: end === 'too_many' || end === 'out_of_time',
      warnings: remarks(result, method),
    },
    ...(last.failure?.toProblem().retryable && { keepSec: 0 }),
  }
})
