import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { parseRecord } from '../../lib/json.ts'
import { receiptType } from './execution/receipt.ts'

export default tool({
  name: 'verify_verdict',
  title: 'Verify a signed verdict or receipt',
  description:
    'Tells whether a verdict, or the receipt of an execution, was signed by this gateway, is unchanged and has not expired; receipts never do. The same can be done offline with /.well-known/jwks.json. Free.',
  keywords: ['preflight', 'signature', 'decision', 'authentic', 'validate', 'jws'],
  input: z.object({
    canonical: z.string().max(20_000).describe('signed.canonical of the preflight, or receipt.canonical'),
    signature: z.string().max(200).describe('signed.signature of the preflight, or receipt.signature'),
  }),
  output: z.object({
    valid: z.boolean().describe('True when it is ours, unchanged and not expired'),
    authentic: z.boolean().describe('True when it is ours and unchanged'),
    expired: z.boolean().describe('True when it should no longer be relied on'),
    statement: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('What was signed; null unless it is ours'),
  }),
  needs: ['sign', 'clock'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: 'unlisted',
  a2a: { tags: ['verification', 'free'] },
  rest: { routes: ['POST /verdicts/verify'] },
  examples: [{ canonical: '{}', signature: 'AA' }],
  summary: ({ valid }) => (valid ? 'Valid.' : 'Not valid.'),
}).run(async ({ sign, clock }, { canonical, signature }) => {
  const authentic = sign.isOurs(canonical, signature)
  const statement = authentic ? (parseRecord(canonical) ?? null) : null
  const expires = Date.parse(String(statement?.expires_at ?? ''))
  const isReceipt = statement?.type === receiptType
  const expired = authentic && !isReceipt && !(expires > clock.now().getTime())
  return { valid: authentic && !expired, authentic, expired, statement }
})
