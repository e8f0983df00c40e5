import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isRecord, parseJson } from '../../../lib/json.ts'
import type { Unreadable } from '../../dialect.ts'
import type { Attempt } from '../../method.ts'
import { type Bound, type Challenges, decode, encode, fromOpaque } from './challenge.ts'

type Fields = Readonly<Record<string, unknown>>

const maxBytes = 65_536

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 8192

/** The fields of the challenge that an id is made over; over MCP the request is an object. */
const readBound = ({ realm, method, intent, request, expires, opaque }: Fields): Bound | undefined => {
  const encoded = isRecord(request) ? encode(request) : request
  if (!isText(realm) || !isText(method) || !isText(intent)) return undefined
  if (!isText(encoded) || !isText(expires) || !isText(opaque)) return undefined
  return { realm, method, intent, request: encoded, expires, opaque }
}

const readTerms = ({ request, opaque }: Bound) => {
  const { amount, currency, recipient, methodDetails } = decode(request) ?? {}
  if (!isText(amount) || !isText(currency) || !isText(recipient) || !isRecord(methodDetails)) return undefined
  const accepted = { asset: currency, payTo: recipient, amount, extra: fromOpaque(opaque) }
  return { network: `eip155:${methodDetails.chainId}`, accepted }
}

/**
 * An authorization is bound to its challenge by its nonce, `keccak256(id + realm)`, and by its times: from the beginning of time to the
 * end of the challenge.
 */
const isBound = (payload: Fields, id: string, { realm, expires }: Bound): boolean => {
  const { nonce, validAfter, validBefore } = payload
  const end = String(Math.floor(Date.parse(expires) / 1000))
  return (
    String(nonce).toLowerCase() === `0x${bytesToHex(keccak_256(utf8ToBytes(`${id}${realm}`)))}` &&
    validAfter === '0' &&
    validBefore === end
  )
}

const isSmall = (value: object): boolean => {
  try {
    return JSON.stringify(value).length <= maxBytes
  } catch {
    return false
  }
}

/** The payment in a credential of the `Payment` scheme that answers one of our challenges. */
export const readCredential = (
  challenges: Challenges,
  where: string,
  value: unknown,
): Attempt | Unreadable => {
  const refuse = (detail: string): Unreadable => ({ unreadable: where, detail })
  if (!isRecord(value) || !isRecord(value.challenge) || !isRecord(value.payload) || !isSmall(value))
    return refuse('It is no credential of the Payment scheme: {challenge, payload}, base64url.')
  const { challenge, payload } = value
  const { id } = challenge
  const bound = readBound(challenge)
  if (!isText(id) || !bound || !challenges.isOurs(id, bound))
    return refuse('The challenge is not one of this server, or it was changed. Answer one of these.')
  const terms = readTerms(bound)
  if (!terms || payload.type !== 'authorization')
    return refuse('Only a payload of the type "authorization" is taken.')
  if (!isBound(payload, id, bound))
    return refuse(
      'The authorization is not bound to its challenge: its nonce is keccak256(id + realm), validAfter 0, validBefore the expiry.',
    )
  const { from, to, value: amount, validAfter, validBefore, nonce, signature } = payload
  const authorization = { from, to, value: amount, validAfter, validBefore, nonce }
  return {
    dialect: 'payment',
    kind: 'eip3009',
    ...terms,
    // The id is a secret of payer and server: the chain shows its hash only.
    proof: [id],
    data: { authorization, signature },
  }
}

/** The credential in a value of the `Authorization` header; undefined for what is not base64url of JSON. */
export const decodeCredential = (text: string): unknown =>
  text.length > maxBytes * 2 ? undefined : parseJson(Buffer.from(text, 'base64url').toString('utf8'))
