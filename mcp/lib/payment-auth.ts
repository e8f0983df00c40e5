import canonicalize from 'canonicalize'
import { isRecord, type JsonRecord, parseJson, parseRecord } from './json.ts'

/**
 * A challenge of the `Payment` HTTP authentication scheme (draft-httpauth-payment), its request as an object. `method` and `intent`
 * say what the request and the payload of its credential hold: `evm` and `charge`, `evm` and `session`, `lightning` and `charge`.
 */
export type PaymentChallenge = {
  id: string
  realm: string
  method: string
  intent: string
  request: object
  /** ISO 8601. */
  expires?: string
  /** Of the body of the request: `sha-256=…`. */
  digest?: string
  /** Base64url of JSON, for the server alone. */
  opaque?: string
  /** For people. */
  description?: string
}

/** Parameters bound in an id, each as in the header; absent ones are empty. */
export type BoundParameters = {
  realm: string
  method: string
  intent: string
  request: string
  expires: string
  digest: string
  opaque: string
}

/** A credential as it came: what of its challenge an id is made over, and what answers it. Nothing of it is verified. */
export type PaymentCredential = { id: string; bound: BoundParameters; payload: JsonRecord; source?: string }

const maxParameterLength = 8192
const maxCredentialLength = 131_072

/** Canonical JSON (RFC 8785), base64url: how the scheme writes objects into parameters. */
export const encodeParameter = (value: object): string =>
  Buffer.from(canonicalize(value) ?? '').toString('base64url')

/** The object of such a parameter; undefined for what is none. */
export const decodeParameter = (text: string): JsonRecord | undefined =>
  parseRecord(Buffer.from(text, 'base64url').toString('utf8'))

/** The text under the HMAC that is the id of a challenge: `realm|method|intent|request|expires|digest|opaque`. */
export const toBoundText = ({
  realm,
  method,
  intent,
  request,
  expires,
  digest,
  opaque,
}: BoundParameters): string => [realm, method, intent, request, expires, digest, opaque].join('|')

/** Picks the parameters for a challenge's id. */
export const toBoundParameters = ({
  realm,
  method,
  intent,
  request,
  expires = '',
  digest = '',
  opaque = '',
}: Omit<PaymentChallenge, 'id'>): BoundParameters => ({
  realm,
  method,
  intent,
  request: encodeParameter(request),
  expires,
  digest,
  opaque,
})

const quote = (value: string): string => `"${value.replace(/[\\"]/g, '\\$&')}"`

/** A challenge as a line of `WWW-Authenticate`. Its values must be printable ASCII. */
export const toChallengeHeader = ({ request, ...fields }: PaymentChallenge): string => {
  const { id, realm, method, intent, expires, digest, opaque, description } = fields
  const parameters = {
    id,
    realm,
    method,
    intent,
    request: encodeParameter(request),
    expires,
    digest,
    opaque,
    description,
  }
  return `Payment ${Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${quote(value ?? '')}`)
    .join(', ')}`
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxParameterLength

/** The bound parameters in the challenge of a credential; over MCP its request is an object. Undefined for what is none. */
const readBoundParameters = (challenge: JsonRecord): BoundParameters | undefined => {
  const { realm, method, intent, request, expires = '', digest = '', opaque = '' } = challenge
  const encoded = isRecord(request) ? encodeParameter(request) : request
  if (!isText(realm) || !isText(method) || !isText(intent) || !isText(encoded)) return undefined
  if (!isText(expires) || !isText(digest) || !isText(opaque)) return undefined
  return { realm, method, intent, request: encoded, expires, digest, opaque }
}

/** The credential in a value, as MCP carries it; undefined for what is none. */
export const readPaymentCredential = (value: unknown): PaymentCredential | undefined => {
  if (!isRecord(value) || !isRecord(value.challenge) || !isRecord(value.payload)) return undefined
  const { challenge, payload, source } = value
  const bound = readBoundParameters(challenge)
  if (!isText(challenge.id) || !bound) return undefined
  return { id: challenge.id, bound, payload, ...(isText(source) && { source }) }
}

/** The JSON in one credential of the header; undefined for what is not base64url of JSON. */
export const decodeCredential = (text: string): unknown =>
  text.length > maxCredentialLength ? undefined : parseJson(Buffer.from(text, 'base64url').toString('utf8'))

/** The texts of the scheme's credentials in an `Authorization` header, which may hold several, joined by commas. */
export const findCredentials = (authorization = ''): string[] =>
  Array.from(authorization.matchAll(/(?:^|,)\s*payment +([^,\s]+)/gi), ([, value = '']) => value)

/** A receipt as the value of `Payment-Receipt`. */
export const toReceiptHeader = (receipt: object): string =>
  Buffer.from(JSON.stringify(receipt)).toString('base64url')
