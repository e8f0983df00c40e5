import canonicalize from 'canonicalize'
import { z } from 'zod'
import type { Ports } from '../../../ports/ports.ts'

/** A statement of this gateway that anybody can check offline. */
export const SignedInput = z
  .object({
    canonical: z.string().describe('The text that is signed: canonical JSON (RFC 8785) of the statement'),
    signature: z.string().describe('Ed25519 signature over its UTF-8 bytes, base64url'),
    alg: z.literal('EdDSA').describe('Algorithm'),
    kid: z.string().describe('Key id in the key set'),
    jwks_url: z.url().describe('The key set'),
  })
  .describe('Verify offline: parse canonical, compare, check the signature with the key')

/** Signs a statement. */
export const signVerdict = (
  sign: Ports['sign'],
  base: string,
  statement: object,
): z.output<typeof SignedInput> => {
  const canonical = canonicalize(statement) ?? ''
  return {
    canonical,
    signature: sign.ed25519(canonical),
    alg: 'EdDSA',
    kid: sign.ed25519Kid,
    jwks_url: `${base}/.well-known/jwks.json`,
  }
}
