import { createPublicKey, verify } from 'node:crypto'
import { fromBase58 } from '../../../ports/solnet/base58.ts'

/** Whether the holder of an address signed the bytes of a text (Ed25519); the signature is base58, as wallets show it. */
export const isTextSignedBy = (payer: string, text: string, signature: string): boolean => {
  const key = fromBase58(payer)
  const bytes = fromBase58(signature)
  if (key?.length !== 32 || bytes?.length !== 64) return false
  const x = Buffer.from(key).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), publicKey, bytes)
}
