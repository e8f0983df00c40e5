import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Browserless } from './pages.ts'

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

/** What an attacker would have different. */
export type Lies = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  /** Without user verification. */
  unverified?: boolean
  counter?: number
  userHandle?: string
  id?: string
  /** Replaces the whole attestation object. */
  attestation?: (authData: Buffer) => Buffer
}

const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes])

const noAttestation = (authData: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
    cborBytes(authData),
  ])

/** An authenticator in software (ES256, resident, with user verification), for what no browser would do. */
export const openAuthenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credential = randomBytes(16)
  const id = credential.toString('base64url')
  let counter = 0
  let owner = ''
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  const authData = (
    { rpId = new URL(origin).hostname, unverified, counter: told }: Lies,
    attested: boolean,
  ) => {
    counter += 1
    const head = Buffer.alloc(5)
    head[0] = 1 | (unverified ? 0 : 4) | (attested ? 64 : 0)
    head.writeUInt32BE(told ?? counter, 1)
    const length = Buffer.from([0, credential.length])
    const parts = attested ? [Buffer.alloc(16), length, credential, cose] : []
    return Buffer.concat([sha256(rpId), head, ...parts])
  }
  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    )
  return {
    id,
    register(options: { challenge: string; user: { id: string } }, lies: Lies = {}) {
      owner = options.user.id
      const attestation = (lies.attestation ?? noAttestation)(authData(lies, true))
      return {
        id: lies.id ?? id,
        rawId: lies.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, lies).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    authenticate(options: { challenge: string }, lies: Lies = {}) {
      const client = clientData('webauthn.get', options.challenge, lies)
      const data = authData(lies, false)
      return {
        id: lies.id ?? id,
        rawId: lies.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
          userHandle: lies.userHandle ?? owner,
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof openAuthenticator>

type Started = { id: string; options: { challenge: string; user: { id: string } } }

export const beginPasskey = async (
  { ask }: Browserless,
  purpose: string,
  name?: string,
): Promise<Started> => {
  const answer = await ask('/auth/passkey/start', { body: { purpose, ...(name && { name }) } })
  return answer.json()
}

/** Makes an account, or adds the passkey to the one that is signed in. */
export const register = async (
  browser: Browserless,
  key: Authenticator,
  { purpose = 'create', name, ...lies }: Lies & { purpose?: 'create' | 'add'; name?: string } = {},
) => {
  const { id, options } = await beginPasskey(browser, purpose, name)
  return browser.ask('/auth/passkey/finish', { body: { id, response: key.register(options, lies) } })
}

export const authenticate = async (
  browser: Browserless,
  key: Authenticator,
  { purpose = 'sign-in', ...lies }: Lies & { purpose?: 'sign-in' | 'prove' } = {},
) => {
  const { id, options } = await beginPasskey(browser, purpose)
  return browser.ask('/auth/passkey/finish', { body: { id, response: key.authenticate(options, lies) } })
}
