import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { keyFingerprint } from '../../lib/key-fingerprint.ts'
import { type Signable, toCanonical } from './record/canonical.ts'
import { readPublicKey, verifySignature } from './record/snapshot.ts'

const refuse = (path: string, message: string) =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })

const toText = (payload: object): string => {
  try {
    return toCanonical(payload as Signable)
  } catch (error) {
    throw refuse('payload', error instanceof Error ? error.message : 'cannot be written as canonical JSON')
  }
}

export default tool({
  name: 'verify_signature',
  title: 'Verify a signature',
  description:
    'Tells whether an Ed25519 signature over canonical JSON holds, and whether the key is that of this service. Give canonical, the exact text, or payload. The same can be done offline. Free.',
  keywords: ['forecast', 'made', 'check', 'authentic', 'forged', 'signed'],
  input: z.object({
    canonical: z.string().min(1).max(500_000).optional().describe('The text that was signed'),
    payload: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The object that was signed, in place of canonical'),
    signature: z.string().min(1).max(200).describe('The signature, base64 or base64url'),
    public_key: z
      .string()
      .max(100)
      .refine(text => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64')
      .optional()
      .describe('The raw public key, base64; without it that of this service'),
  }),
  output: z.object({
    valid: z.boolean().describe('True when the signature holds under the key'),
    ours: z.boolean().describe('True when the key is that of this service'),
    key_fingerprint: z.string().describe('First 16 hexadecimal digits of the SHA-256 of the key'),
    canonical: z.string().describe('The text that was checked'),
  }),
  needs: ['sign'],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['POST /expertise/verify'] },
  examples: [{ canonical: '{}', signature: 'AA==' }],
  summary: ({ valid, ours, key_fingerprint }) =>
    `${valid ? 'Holds' : 'Does not hold'} under ${key_fingerprint}${ours ? ', our key' : ''}.`,
}).run(async ({ sign }, { canonical, payload, signature, public_key }) => {
  if ((canonical === undefined) === (payload === undefined))
    throw refuse('canonical', 'give either canonical or payload')
  const text = canonical ?? toText(payload ?? {})
  const own = sign.ed25519PublicKeys.map(key => Buffer.from(key, 'base64url'))
  const holds = (key: Buffer) => verifySignature(text, signature, key.toString('base64'))
  const key =
    public_key === undefined ? (own.find(holds) ?? readPublicKey(sign)) : Buffer.from(public_key, 'base64')
  return {
    valid: holds(key),
    ours: own.some(each => each.equals(key)),
    key_fingerprint: keyFingerprint(key),
    canonical: text,
  }
})
