import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { isTargetLimit } from '../../lib/target-limit.ts'
import { FindingFields } from './x402/finding.ts'

const text = (what: string) => z.string().nullable().describe(what)

const toHost = ({ url }: { url: string }): string =>
  URL.canParse(url) ? new URL(url).hostname : url.slice(0, 253)

export default tool({
  name: 'x402_probe',
  title: 'Probe an x402 server',
  keywords: ['endpoint', 'test', 'work', 'paywall', 'debug', 'payable'],
  description:
    'Calls a URL without paying, reads its 402 as payers do (versions 1 and 2, header or body, network, asset, signing domain, decimals, payee, time-out) and tells the first reason why a payment would fail, and whether a default client would pay. Nothing is paid. Free.',
  input: z.object({
    url: z.string().min(1).max(2048).describe('Address that is paid for, http or https'),
    method: z.enum(['GET', 'POST']).default('GET').describe('Method of the call'),
    body: z
      .string()
      .max(16_384)
      .optional()
      .describe('JSON text to send with POST, for servers that read the input before they quote'),
  }),
  output: z.object({
    url: z.string().describe('The address that was called'),
    status: z.number().int().nullable().describe('Status of the answer; null without one'),
    healthy: z.boolean().describe('True when nothing stops a payer'),
    first: FindingFields.nullable().describe('The first reason why a payment would fail; null when healthy'),
    findings: z
      .array(FindingFields)
      .describe('Everything that is wrong or unusual, in the order payers meet it'),
    version: z
      .union([z.literal(1), z.literal(2)])
      .nullable()
      .describe('x402 version of the quote that was read'),
    place: z.enum(['header', 'body']).nullable().describe('Where the quote was'),
    offers: z
      .array(
        z.object({
          scheme: text('Scheme of the offer'),
          network: text('Network, by CAIP-2 where that is known'),
          amount: text('Price in the smallest unit'),
          price: text('Price in words, for USDC'),
          asset: text('Token that is paid'),
          payTo: text('Who is paid'),
          name: text('Name of the signing domain, as the offer says it'),
          version: text('Version of the signing domain, as the offer says it'),
        }),
      )
      .describe('What it can be paid with'),
    default_client: z
      .object({
        pays: z.boolean().describe('True when the stock x402 client, as it comes, signs a payment'),
        reason: text('What it says where it does not'),
      })
      .nullable()
      .describe('The stock client, tried with a key that owns nothing; null without a quote'),
  }),
  needs: ['fetch'],
  wants: ['evm'],
  price: free,
  limits: [
    { perMinute: 60, per: 'client' },
    { perMinute: 60, per: toHost },
  ],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'debug', text: ['x402-probe <url>'], tags: ['x402', 'debugging'] },
  rest: { routes: ['GET /v1/x402/probe'] },
  examples: [{ url: 'https://example.com/paid' }],
  summary: ({ healthy, first }) =>
    healthy ? 'Nothing stops a payer.' : (first?.message ?? 'It cannot be paid.'),
}).run(async ({ fetch, evm, signal }, { url, method, body }) => {
  if (body !== undefined && method !== 'POST')
    throw new ToolError('invalid_input', 'A body is sent with the method POST only.', {
      issues: [{ path: 'body', message: 'needs the method POST' }],
    })
  const { probeResource } = await import('./x402/probe.ts')
  return probeResource({ fetch, evm, signal, isOurLimit: isTargetLimit }, { url, method, body })
})
