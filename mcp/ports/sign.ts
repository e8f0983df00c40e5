import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import type { Sign } from './index.ts'

const readKey = (text: string): KeyObject => {
  const fault = 'the signing key must be a P-256 private key, as PKCS8 PEM or as a JWK'
  let key: KeyObject
  try {
    key = text.trimStart().startsWith('{')
      ? createPrivateKey({ key: JSON.parse(text), format: 'jwk' })
      : createPrivateKey(text)
  } catch {
    throw new Error(fault)
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(fault)
  return key
}

/** A new P-256 private key as a JWK on one line, for `openSign`. */
export const makeSigningKey = (): string =>
  JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }))

/**
 * Signs with ES256 under a P-256 key given as PKCS8 PEM or as a JWK. The key id is the RFC 7638 thumbprint, so that
 * replicas with the same key publish the same. Throws an Error that does not quote the key when it is no such key.
 */
export const openSign = (privateKey: string): Sign => {
  const key = readKey(privateKey)
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return {
    async es256(payload, jku) {
      const { FlattenedSign } = await import('jose')
      const jws = await new FlattenedSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: 'ES256', typ: 'JOSE', kid, jku })
        .sign(key)
      return { protected: jws.protected ?? '', signature: jws.signature }
    },
    jwks: async () => ({ keys: [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }] }),
  }
}
