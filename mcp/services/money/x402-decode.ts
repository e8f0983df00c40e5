import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { isRecord } from '../../lib/json.ts'
import { FindingFields, firstError } from './x402/finding.ts'

export default tool({
  name: 'x402_decode',
  title: 'Decode an x402 message',
  keywords: ['402', 'mean', 'parse', 'base64', 'read', 'requirements'],
  description:
    'Takes apart a header (PAYMENT-REQUIRED, PAYMENT-SIGNATURE, PAYMENT-RESPONSE, X-PAYMENT …), its value alone, JSON, or MCP _meta: kind, version, the decoded JSON, and what is wrong with it in words, such as a header of the other version. Asks nobody. Free.',
  input: z.object({
    value: z
      .union([z.string().min(1).max(65_536), z.record(z.string(), z.unknown())])
      .describe('A header line, a header value, a JSON text, or the JSON itself'),
  }),
  output: z.object({
    kind: z.enum(['payment_required', 'payment', 'settlement', 'unknown']).describe('What it is'),
    version: z
      .union([z.literal(1), z.literal(2)])
      .nullable()
      .describe('x402 version it says'),
    form: z.enum(['base64', 'base64url', 'json']).nullable().describe('How it was encoded'),
    place: z.string().nullable().describe('Header or member it was given with; null for a bare value'),
    valid: z.boolean().describe('True when nothing is wrong with it'),
    first: FindingFields.nullable().describe('The first thing that is wrong'),
    findings: z.array(FindingFields).describe('Everything that is wrong or unusual'),
    decoded: z.record(z.string(), z.unknown()).nullable().describe('The message as JSON'),
    untrusted: z.literal(true).describe('The decoded text is a stranger’s'),
  }),
  needs: ['clock'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'debug', tags: ['x402', 'debugging'] },
  rest: { routes: ['POST /v1/x402/decode'] },
  examples: [
    {
      value:
        'PAYMENT-RESPONSE: eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2FjdGlvbiI6IjB4MDEiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMiLCJwYXllciI6IjB4MDIifQ==',
    },
  ],
  summary: ({ kind, version, first }) =>
    `${kind.replaceAll('_', ' ')}${version ? `, version ${version}` : ''}: ${first?.message ?? 'nothing is wrong with it.'}`,
}).run(async ({ clock }, { value }) => {
  const { readMessage } = await import('./x402/message.ts')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const { value: decoded, findings, ...message } = readMessage(text, clock.now().getTime() / 1000)
  const first = firstError(findings)
  return {
    ...message,
    valid: first === null,
    first,
    findings,
    decoded: isRecord(decoded) ? decoded : null,
    untrusted: true,
  }
})
