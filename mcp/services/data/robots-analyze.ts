import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { DomainInput, parseDomain, toTarget } from './domain.ts'
import { productToken } from './robots/agent.ts'
import { fetchRobots } from './robots/fetch-robots.ts'
import { here, report } from './robots/report.ts'
import { Check, ContentSignals, Groups, SyntaxErrors } from './robots/schema.ts'
import { skill } from './skill.ts'

/** The path and query that a caller means, percent-encoded as crawlers ask for it: of a URL, a path, or a path without `/`. */
const pathIn = (text: string): string => {
  const trimmed = text.trim()
  const isUrl = /^https?:\/\//i.test(trimmed)
  const full = isUrl ? trimmed : `http://host/${trimmed.replace(/^\//, '')}`
  if (!URL.canParse(full)) return '/'
  const { pathname, search } = new URL(full)
  return pathname + search
}

/** Larger files are read in a worker, so that none stalls the server. */
const workerFrom = 16 * 1024

const listCut = { code: 'list_cut', message: 'Only the first 1,000 groups and 3,000 rules are listed.' }

export default skill({
  id: 'robots-analyze',
  argument: 'domain',
  price: '0.002',
  tags: ['web', 'robots', 'crawler', 'ai-bots'],
  keywords: ['scraping', 'gptbot', 'site', 'blocked', 'disallow', 'permission'],
  openWorld: true,
  cacheSec: 300,
  key: ({ domain, path, user_agent: userAgent }) => [toTarget(domain), pathIn(path), productToken(userAgent)],
  target: ({ domain }) => toTarget(domain),
  main: 'groups',
  title: 'Read a robots.txt',
  description:
    'Reads the robots.txt of a domain (RFC 9309, as Google does): rules per user agent with line numbers, sitemaps, crawl delays, AI crawlers allowed or not, syntax errors, and whether a crawler may fetch a path. Free over A2A and MCP, else 0.002 USD.',
  input: z.object({
    domain: DomainInput,
    path: z.string().max(2048).default('/').describe('Path or URL to check; default /'),
    user_agent: z
      .string()
      .max(500)
      .default('*')
      .describe('Crawler to check: its token such as GPTBot, or its User-Agent header; default any'),
  }),
  output: z.object({
    domain: z.string().describe('The domain in ASCII (punycode)'),
    robots_url: z.string().describe('Where the file was asked for'),
    final_url: z.string().describe('Where the last redirect led'),
    status: z.number().int().nullable().describe('HTTP status; null when no server answered'),
    exists: z.boolean().nullable().describe('Whether there is a robots.txt; null when nobody knows'),
    policy: z
      .enum(['rules', 'allow_all', 'disallow_all'])
      .describe('What crawlers go by: the rules, or all or nothing for want of a file (RFC 9309 §2.3.1)'),
    crawlable: z.boolean().nullable().describe('Whether user_agent may fetch path; null when unknown'),
    check: Check,
    groups: Groups,
    group_count: z.number().int().describe('Number of groups'),
    rule_count: z.number().int().describe('Number of rules in all groups'),
    sitemaps: z.array(z.string()).describe('Sitemap lines, each address once'),
    sitemap_count: z.number().int().describe('Number of sitemaps'),
    ai_bots: z
      .record(z.string(), z.boolean().nullable())
      .describe('AI crawlers by name: whether they may fetch path; null when unknown'),
    content_signals: ContentSignals,
    hosts: z.array(z.string()).describe('Host lines: the main name of the site for Yandex'),
    syntax_errors: SyntaxErrors,
    error_count: z.number().int().describe('Number of syntax errors'),
    size: z.number().int().describe('Bytes read'),
  }),
  needs: ['fetch', 'workers'],
  examples: [
    { domain: 'example.com' },
    { domain: 'example.com', path: '/private/page', user_agent: 'GPTBot' },
  ],
  summary: ({ domain, check: { user_agent: userAgent, path, allowed } }) => {
    if (allowed === null) return `Nobody knows whether ${userAgent} may fetch ${path} on ${domain}.`
    return `${userAgent} may ${allowed ? '' : 'not '}fetch ${path} on ${domain}.`
  },
}).run(async ({ fetch, workers, signal }, { domain: input, path: rawPath, user_agent: rawUserAgent }) => {
  const domain = parseDomain(input)
  if (!domain) throw new ToolError('invalid_input', 'domain: must be a domain name such as example.com.')
  const file = await fetchRobots(fetch, domain.ascii, signal)
  const { body, policy, notes, truncated, ...fileFields } = file
  const path = pathIn(rawPath)
  const userAgent = productToken(rawUserAgent)
  const question = { body, path, user_agent: userAgent }
  const robotsReport =
    body.length < workerFrom
      ? report(question)
      : await workers.run<ReturnType<typeof report>>(here, 'report', question)
  const { allowed, matched_rule: matchedRule, line, ai_bots: aiBots, cut, ...rest } = robotsReport
  const verdict = policy === 'disallow_all' ? null : allowed
  return {
    domain: domain.ascii,
    ...fileFields,
    policy,
    crawlable: verdict,
    check: { path, user_agent: userAgent, allowed: verdict, matched_rule: matchedRule, line },
    ...rest,
    ai_bots: verdict === null ? Object.fromEntries(Object.keys(aiBots).map(bot => [bot, null])) : aiBots,
    size: body.length,
    about: {
      sources: [file.final_url],
      warnings: [...notes, ...(cut ? [listCut] : [])],
      truncated: truncated || cut,
    },
    ...(verdict === null && { keepSec: 10 }),
  }
})
