import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isRecord, parseRecord } from '../../../lib/json.ts'
import {
  type BoundParameters,
  decodeParameter,
  type PaymentCredential,
  readPaymentCredential,
} from '../../../lib/payment-auth.ts'
import type { Unreadable } from '../../dialect.ts'
import type { Attempt } from '../../method.ts'
import { type Challenges, fromOpaque } from './challenge.ts'

type Fields = Readonly<Record<string, unknown>>

const maxBytes = 65_536

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 8192

const readTerms = ({ request, opaque }: BoundParameters) => {
  const { amount, currency, recipient, methodDetails } = decodeParameter(request) ?? {}
  if (!isText(amount) || !isText(currency) || !isText(recipient) || !isRecord(methodDetails)) return undefined
  const accepted = { asset: currency, payTo: recipient, amount, extra: fromOpaque(opaque) }
  return { network: `eip155:${methodDetails.chainId}`, accepted }
}

/**
 * An authorization is bound to its challenge by its nonce, `keccak256(id + realm)`, and by its times: from the beginning of time to the
 * end of the challenge.
 */
const isBound = (payload: Fields, id: string, { realm, expires }: BoundParameters): boolean => {
  const { nonce, validAfter, validBefore } = payload
  const end = String(Math.floor(Date.parse(expires) / 1000))
  return (
    String(nonce).toLowerCase() === `0x${bytesToHex(keccak_256(utf8ToBytes(`${id}${realm}`)))}` &&
    validAfter === '0' &&
    validBefore === end
  )
}

/** How long after its end a challenge is good whose invoice was paid in time, as a token of L402 is. */
const paidMs = 30 * 24 * 60 * 60 * 1000

const isPreimage = (preimage: unknown, paymentHash: unknown): preimage is string =>
  typeof preimage === 'string' &&
  /^[0-9a-f]{64}$/i.test(preimage) &&
  createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex') === paymentHash

/** The payment of an invoice. Its challenge was proved to be ours, so its terms are. */
const readPreimage = (
  { id, bound: { request, expires }, payload: { preimage } }: PaymentCredential,
  now: Date,
): Attempt | string => {
  const { amount, externalId: quote, methodDetails, recipient } = decodeParameter(request) ?? {}
  if (!isText(amount) || !isText(quote) || !isText(recipient) || !isRecord(methodDetails))
    return 'The challenge is not one of this server.'
  const { paymentHash, network, rate } = methodDetails
  if (Date.parse(expires) + paidMs < now.getTime()) return 'The challenge is expired.'
  if (!isPreimage(preimage, paymentHash))
    return 'The preimage is not that of the invoice. Pay it, and send what its payment gave you.'
  const extra = { quote, ...(typeof rate === 'string' && { rate: parseRecord(rate) }) }
  return {
    dialect: 'payment',
    kind: 'bolt11',
    network: `lightning:${String(network)}`,
    accepted: { asset: 'BTC', payTo: recipient, amount: `${amount}000`, extra },
    isIssued: true,
    proof: [id],
    data: { paymentHash, preimage: preimage.toLowerCase() },
  }
}

const isSmall = (value: object): boolean => {
  try {
    return JSON.stringify(value).length <= maxBytes
  } catch {
    return false
  }
}

/** The payment in a credential of the `Payment` scheme that answers one of our challenges. */
export const paymentInCredential = (
  challenges: Challenges,
  where: string,
  value: unknown,
  now: Date,
): Attempt | Unreadable => {
  const refuse = (detail: string): Unreadable => ({ unreadable: where, detail })
  if (!isRecord(value) || !isRecord(value.challenge) || !isRecord(value.payload) || !isSmall(value))
    return refuse('It is no credential of the Payment scheme: {challenge, payload}, base64url.')
  const credential = readPaymentCredential(value)
  if (!credential || !challenges.isOurs(credential.id, credential.bound))
    return refuse('The challenge is not one of this server, or it was changed. Answer one of these.')
  const { id, bound, payload } = credential
  if (bound.method === 'lightning') {
    const attempt = readPreimage(credential, now)
    return typeof attempt === 'string' ? refuse(attempt) : attempt
  }
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
    isBound: true,
    data: { authorization, signature },
  }
}
