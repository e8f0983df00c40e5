import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { decodeBase64url } from '../../lib/base64url.ts'
import type { Sign } from './port.ts'

const parseKey = (text: string): KeyObject => {
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

/** The DER prefix of an Ed25519 private key in PKCS8 (RFC 8410); its 32 bytes follow. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** An Ed25519 key that follows from the signing key, so that replicas with one configured key share both. */
const ed25519From = (key: KeyObject): KeyObject => {
  const { d = '' } = key.export({ format: 'jwk' })
  const seed = hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'octagent ed25519', 32)
  return createPrivateKey({ key: Buffer.concat([pkcs8, Buffer.from(seed)]), format: 'der', type: 'pkcs8' })
}

/** 32 bytes of a secp256k1 key that follows from the signing key, too. */
const secp256k1From = (key: KeyObject): Uint8Array => {
  const { d = '' } = key.export({ format: 'jwk' })
  return new Uint8Array(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'octagent bip340', 32))
}

/** RFC 7638 thumbprint: the required members of a public key, in lexical order. */
const thumbprint = (members: object): string =>
  createHash('sha256').update(JSON.stringify(members)).digest('base64url')

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const loadBip340 = async (key: KeyObject) => {
  const { schnorr } = await import('@noble/curves/secp256k1')
  const secret = secp256k1From(key)
  return {
    publicKey: Buffer.from(schnorr.getPublicKey(secret)).toString('hex'),
    sign: (digest: string) => Buffer.from(schnorr.sign(digest, secret)).toString('hex'),
  }
}

/** The public keys of a signing key as JWKs, and the Ed25519 pair that follows from it. */
const derive = (key: KeyObject) => {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const kid = thumbprint({ crv, kty, x, y })
  const edKey = ed25519From(key)
  const edPublic = createPublicKey(edKey)
  const ed = edPublic.export({ format: 'jwk' })
  const ed25519Kid = thumbprint({ crv: ed.crv, kty: ed.kty, x: ed.x })
  const jwks = [
    { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' },
    { kty: ed.kty, crv: ed.crv, x: ed.x, kid: ed25519Kid, alg: 'EdDSA', use: 'sig' },
  ]
  return { kid, ed25519Kid, edKey, edPublic, edX: ed.x ?? '', jwks }
}

/**
 * Signs with ES256 under a P-256 key given as PKCS8 PEM or as a JWK, and with EdDSA and BIP-340 under keys that follow from it. Key ids
 * are RFC 7638 thumbprints, so that replicas with the same key publish the same. What the previous key signed is still ours, and its
 * public keys are published. Throws an Error that does not quote the key when it is no such key.
 */
export const openSign = (privateKey: string, previousKey?: string): Sign => {
  const key = parseKey(privateKey)
  const { kid, ed25519Kid, edKey, edPublic, edX, jwks } = derive(key)
  const previous = previousKey === undefined ? undefined : derive(parseKey(previousKey))
  let bip340: ReturnType<typeof loadBip340> | undefined
  const verifies = (signed: Buffer, proof: Buffer): boolean =>
    [edPublic, ...(previous ? [previous.edPublic] : [])].some(key => verify(null, signed, key, proof))
  const ed25519 = (payload: string) => sign(null, Buffer.from(payload), edKey).toString('base64url')

  return {
    ed25519Kid,
    ed25519PublicKey: edX,
    ed25519PublicKeys: [edX, ...(previous ? [previous.edX] : [])],
    ed25519,
    isOurs(payload, signature) {
      const proof = decodeBase64url(signature)
      return proof !== undefined && verifies(Buffer.from(payload), proof)
    },
    async bip340() {
      bip340 ??= loadBip340(key)
      return bip340
    },
    jws(claims, typ) {
      const input = `${part({ alg: 'EdDSA', typ, kid: ed25519Kid })}.${part(claims)}`
      return `${input}.${ed25519(input)}`
    },
    open(jws) {
      const [header = '', claims = '', signature = '', ...more] = jws.split('.')
      const [head, body, proof] = [header, claims, signature].map(decodeBase64url)
      if (more.length > 0 || !head || !body || !proof) return undefined
      if (!verifies(Buffer.from(`${header}.${claims}`), proof)) return undefined
      return JSON.parse(body.toString()) as Record<string, unknown>
    },
    async es256(payload, jku) {
      const { FlattenedSign } = await import('jose')
      const jws = await new FlattenedSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: 'ES256', typ: 'JOSE', kid, jku })
        .sign(key)
      return { protected: jws.protected ?? '', signature: jws.signature }
    },
    jwks: async () => ({ keys: [...jwks, ...(previous?.jwks ?? [])] }),
  }
}
