import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeBase64url } from '../../../lib/base64url.ts'
import { isRecord, parseRecord } from '../../../lib/json.ts'
import {
  type BoundParameters,
  decodeParameter,
  encodeParameter,
  toBoundParameters,
  toBoundText,
} from '../../../lib/payment-auth.ts'
import { deriveKeys, type HmacKeys } from '../../derived-keys.ts'
import type { Offer } from '../../method.ts'

type Fields = Readonly<Record<string, unknown>>

/** Request of an `evm` charge: atomic units of a token, by EIP-3009. */
export type ChargeRequest = {
  amount: string
  currency: string
  methodDetails: { chainId: number; credentialTypes: readonly ['authorization']; decimals?: number }
  recipient: string
}

/**
 * What a `lightning` charge asks for: sats, by an invoice (draft-lightning-charge). Its clients do not send `opaque` back, so that our
 * quote is in it.
 */
export type InvoiceRequest = {
  amount: string
  currency: 'sat'
  externalId: string
  methodDetails: { invoice: string; network: string; paymentHash: string; rate?: string }
  recipient: string
}

/** A challenge of the `Payment` scheme, its request as MCP has it. `opaque` is base64url of JSON, for us alone. */
export type Challenge = {
  id: string
  realm: string
  method: 'evm' | 'lightning'
  intent: 'charge'
  request: ChargeRequest | InvoiceRequest
  expires: string
  opaque?: string
}

export type Challenges = {
  issue(offer: Offer, realm: string, now: Date): Challenge
  /** True when an id is ours for exactly these fields. */
  isOurs(id: string, bound: BoundParameters): boolean
}

const toInvoiceRequest = ({ amount, network, payTo, extra }: Offer): InvoiceRequest => ({
  amount: amount.replace(/000$/, ''),
  currency: 'sat',
  externalId: String(extra.quote),
  methodDetails: {
    invoice: String(extra.invoice),
    network: network.replace(/^lightning:/, ''),
    paymentHash: String(extra.paymentHash),
    ...(isRecord(extra.rate) && { rate: JSON.stringify(extra.rate) }),
  },
  recipient: payTo,
})

const toRequest = ({ amount, asset, payTo, network, decimals }: Offer): ChargeRequest => ({
  amount,
  currency: asset,
  methodDetails: {
    chainId: Number(network.split(':')[1]),
    credentialTypes: ['authorization'],
    ...(decimals !== undefined && { decimals }),
  },
  recipient: payTo,
})

/** Our quote, which pins the price to the call. A challenge without one gets some chance, so that no two are the same. */
const toOpaque = ({ quote, rate }: Offer['extra']): string =>
  encodeParameter({
    ...(quote === undefined ? { salt: randomBytes(9).toString('base64url') } : { quote }),
    ...(isRecord(rate) && { rate: JSON.stringify(rate) }),
  })

/** The terms that `opaque` holds, as the quote knows them. */
export const fromOpaque = (opaque: string): Fields => {
  const { quote, rate } = decodeParameter(opaque) ?? {}
  return {
    ...(quote !== undefined && { quote }),
    ...(typeof rate === 'string' && { rate: parseRecord(rate) }),
  }
}

/**
 * Challenges without memory: the id is an HMAC over all that was asked. They have no digest of a body, since the quote in `opaque`
 * names the call.
 */
export const openChallenges = (hmacKeys: HmacKeys): Challenges => {
  const keys = deriveKeys(hmacKeys, 'payment challenge')
  const sign = (bound: BoundParameters, key = keys[0]): Buffer =>
    createHmac('sha256', key).update(toBoundText(bound)).digest()
  return {
    issue(offer, realm, now) {
      const isInvoice = offer.kind === 'bolt11'
      const request = isInvoice ? toInvoiceRequest(offer) : toRequest(offer)
      // Whole seconds: the payer signs them as the end of the authorization, and no quote may end before it.
      const end = Math.floor(now.getTime() / 1000) + offer.maxTimeoutSeconds
      const expires = new Date(end * 1000).toISOString()
      const method = isInvoice ? 'lightning' : 'evm'
      const opaque = isInvoice ? {} : { opaque: toOpaque(offer.extra) }
      const fields = { realm, method, intent: 'charge', expires, ...opaque } as const
      const id = sign(toBoundParameters({ ...fields, request })).toString('base64url')
      return { id, ...fields, request }
    },
    isOurs(id, bound) {
      const bytes = decodeBase64url(id)
      return bytes?.length === 32 && keys.some(key => timingSafeEqual(bytes, sign(bound, key)))
    },
  }
}
