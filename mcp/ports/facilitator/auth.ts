import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'

/** Credentials a facilitator wants with a request: headers that stay, or a key that signs a token for each request. */
export type FacilitatorCredentials =
  | { headers: Readonly<Record<string, string>> }
  | {
      keyId: string
      /** PEM of an EC key on P-256, or base64 of the 64 bytes of an Ed25519 key: its seed and its public half. */
      keySecret: string
    }

export type FacilitatorOperation = 'verify' | 'settle' | 'supported'

type Headers = Readonly<Record<string, string>>

/** Makes the headers of requests to one facilitator. */
export type FacilitatorAuth = (operation: FacilitatorOperation) => Promise<Headers>

const methods = { verify: 'POST', settle: 'POST', supported: 'GET' } as const

const lifeSeconds = 120

const parseEd25519 = (text: string): KeyObject | undefined => {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 64) return undefined
  const d = bytes.subarray(0, 32).toString('base64url')
  const x = bytes.subarray(32).toString('base64url')
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
}

const parseEc = (text: string): KeyObject | undefined => {
  // A key of several lines reaches the environment with its line ends escaped.
  const key = createPrivateKey(text.replaceAll('\\n', '\n'))
  return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
}

/** The key of a credential, and what it signs with; undefined when it is no such key. */
export const parseKeySecret = (text: string): { key: KeyObject; alg: 'ES256' | 'EdDSA' } | undefined => {
  try {
    const isPem = text.includes('-----BEGIN')
    const key = isPem ? parseEc(text) : parseEd25519(text)
    return key && { key, alg: isPem ? 'ES256' : 'EdDSA' }
  } catch {
    return undefined
  }
}

/**
 * Headers for requests to a facilitator. A key signs a JWT of two minutes for one method, host and path, as the Coinbase Developer
 * Platform asks (claims of `generateJwt` in its SDK).
 */
export const openFacilitatorAuth = (
  url: string,
  credential: FacilitatorCredentials | undefined,
  now: () => Date,
): FacilitatorAuth => {
  if (!credential) return async () => ({})
  if ('headers' in credential) return async () => credential.headers
  const { keyId } = credential
  const signing = parseKeySecret(credential.keySecret)
  if (!signing) throw new Error('the key of a facilitator is neither an EC nor an Ed25519 one')
  return async operation => {
    const { SignJWT } = await import('jose')
    const { host, pathname } = new URL(`${url}/${operation}`)
    const issued = Math.floor(now().getTime() / 1_000)
    const token = await new SignJWT({
      sub: keyId,
      iss: 'cdp',
      aud: ['cdp_service'],
      uris: [`${methods[operation]} ${host}${pathname}`],
    })
      .setProtectedHeader({
        alg: signing.alg,
        kid: keyId,
        typ: 'JWT',
        nonce: randomBytes(16).toString('hex'),
      })
      .setIssuedAt(issued)
      .setNotBefore(issued)
      .setExpirationTime(issued + lifeSeconds)
      .sign(signing.key)
    return { authorization: `Bearer ${token}` }
  }
}

/** The same for the client of @x402/core, which wants all headers at once, by operation: flat ones make it throw. */
export const toCreateAuthHeaders =
  (auth: FacilitatorAuth) => async (): Promise<Record<FacilitatorOperation, Record<string, string>>> => {
    const [verify, settle, supported] = await Promise.all([auth('verify'), auth('settle'), auth('supported')])
    return { verify: { ...verify }, settle: { ...settle }, supported: { ...supported } }
  }
