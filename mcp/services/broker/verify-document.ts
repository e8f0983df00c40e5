import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'

const kinds = {
  'deal-receipt+jwt': 'receipt',
  'deal-credential+jwt': 'credential',
  'reputation+jwt': 'attestation',
} as const

const readKind = (jws: string): (typeof kinds)[keyof typeof kinds] | null => {
  try {
    const { typ } = JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as {
      typ?: string
    }
    return kinds[typ as keyof typeof kinds] ?? null
  } catch {
    return null
  }
}

export default tool({
  name: 'verify_document',
  title: 'Verify a signed document',
  description:
    'Tells whether a receipt, credential or attestation was signed by this broker, is unchanged and still good. The same can be done offline with /.well-known/jwks.json. Free.',
  keywords: ['authenticate', 'signature', 'check', 'authentic', 'forged', 'jws'],
  input: z.object({ document: z.string().max(20_000).describe('The compact JWS') }),
  aliases: { document: ['receipt', 'credential', 'attestation', 'jws'] },
  output: z.object({
    valid: z.boolean().describe('True when it is ours, unchanged and not expired'),
    kind: z.enum(['receipt', 'credential', 'attestation']).nullable().describe('What it is'),
    expired: z.boolean().describe('True when it is ours and no longer good'),
    claims: z.record(z.string(), z.unknown()).nullable().describe('What it says; null unless it is ours'),
  }),
  needs: ['clock', 'sign'],
  price: free,
  auth: ['public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['verification', 'free'] },
  rest: { routes: ['POST /v1/verify'] },
  examples: [{ document: 'e30.e30.AA' }],
  summary: ({ valid, kind }) => (valid ? `A valid ${kind}.` : 'Not valid.'),
}).run(async ({ clock, sign }, { document }) => {
  const claims = sign.open(document) ?? null
  const kind = claims && readKind(document)
  const expired = typeof claims?.exp === 'number' && claims.exp * 1000 <= clock.now().getTime()
  return { valid: kind !== null && !expired, kind, expired, claims: kind && claims }
})
