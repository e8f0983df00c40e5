import { createECDH, createHash } from 'node:crypto'
import type { Ports } from '../../ports/ports.ts'

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** A private scalar of P-256, made of the installation's pepper: the same on every replica and after each start. */
const deriveScalar = (keys: Ports['keys']): Buffer => {
  for (let round = 0; ; round += 1) {
    const scalar = Buffer.from(keys.hash(`oauth signing key ${round}`), 'base64url')
    const value = BigInt(`0x${scalar.toString('hex')}`)
    if (value > 0n && value < order) return scalar
  }
}

/** The ES256 key that signs what is signed, as a JWK (RFC 7517). */
export const deriveSigningKey = (keys: Ports['keys']) => {
  const scalar = deriveScalar(keys)
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(scalar)
  const point = curve.getPublicKey()
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  return {
    kty: 'EC',
    crv: 'P-256',
    alg: 'ES256',
    use: 'sig',
    kid: createHash('sha256').update(point).digest('base64url').slice(0, 16),
    d: scalar.toString('base64url'),
    x,
    y,
  } as const
}

/** The key that cookies are signed with. */
export const deriveCookieKey = (keys: Ports['keys']): string => keys.hash('oauth cookies')
