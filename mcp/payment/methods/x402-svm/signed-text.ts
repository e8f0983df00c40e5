import { createPublicKey, verify } from 'node:crypto'
import { fromBase58 } from '../../../ports/solnet/base58.ts'

/** True when the holder of an address signed these bytes (Ed25519). */
export const hasAccountSignature = (address: string, bytes: Uint8Array, signature: Uint8Array): boolean => {
  const key = fromBase58(address)
  if (key?.length !== 32 || signature.length !== 64) return false
  const x = Buffer.from(key).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, bytes, publicKey, signature)
}

/** The same of the bytes of a text; the signature is base58, as wallets show it. */
export const hasTextSignature = (payer: string, text: string, signature: string): boolean => {
  const bytes = fromBase58(signature)
  return bytes !== undefined && hasAccountSignature(payer, Buffer.from(text), bytes)
}
