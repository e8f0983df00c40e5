import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import canonicalize from 'canonicalize'
import { decodeBase64url } from '../../../lib/base64url.ts'
import { isRecord, parseRecord } from '../../../lib/json.ts'
import type { Offer } from '../../method.ts'

type Fields = Readonly<Record<string, unknown>>

/** What an `evm` charge asks for: atomic units of a token, by EIP-3009. */
export type ChargeRequest = {
  amount: string
  currency: string
  methodDetails: { chainId: number; credentialTypes: readonly ['authorization']; decimals?: number }
  recipient: string
}

/** A challenge of the `Payment` scheme, its request as MCP has it. `opaque` is base64url of JSON, for us alone. */
export type Challenge = {
  id: string
  realm: string
  method: 'evm'
  intent: 'charge'
  request: ChargeRequest
  expires: string
  opaque: string
}

/** What is bound into a challenge, as its credential brings it back. */
export type Bound = {
  realm: string
  method: string
  intent: string
  request: string
  expires: string
  opaque: string
}

export type Challenges = {
  issue(offer: Offer, realm: string, now: Date): Challenge
  /** Whether an id is ours for exactly these fields. */
  isOurs(id: string, bound: Bound): boolean
}

/** Canonical JSON (RFC 8785), base64url: how the `Payment` scheme writes objects into parameters. */
export const encode = (value: object): string => Buffer.from(canonicalize(value) ?? '').toString('base64url')

/** The object of such a parameter; undefined for what is none. */
export const decode = (text: string): Fields | undefined =>
  parseRecord(Buffer.from(text, 'base64url').toString('utf8'))

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
  encode({
    ...(quote === undefined ? { salt: randomBytes(9).toString('base64url') } : { quote }),
    ...(isRecord(rate) && { rate: JSON.stringify(rate) }),
  })

/** The terms that `opaque` holds, as the quote knows them. */
export const fromOpaque = (opaque: string): Fields => {
  const { quote, rate } = decode(opaque) ?? {}
  return {
    ...(quote !== undefined && { quote }),
    ...(typeof rate === 'string' && { rate: parseRecord(rate) }),
  }
}

/**
 * Challenges without memory: the id is an HMAC over all that was asked, `realm|method|intent|request|expires|digest|opaque`, with no
 * digest of a body, since the quote in `opaque` names the call.
 */
export const openChallenges = (hmacKey: Buffer): Challenges => {
  const key = createHmac('sha256', hmacKey).update('payment challenge').digest()
  const sign = ({ realm, method, intent, request, expires, opaque }: Bound): Buffer =>
    createHmac('sha256', key).update([realm, method, intent, request, expires, '', opaque].join('|')).digest()
  return {
    issue(offer, realm, now) {
      const request = toRequest(offer)
      // Whole seconds: the payer signs them as the end of the authorization, and no quote may end before it.
      const end = Math.floor(now.getTime() / 1000) + offer.maxTimeoutSeconds
      const expires = new Date(end * 1000).toISOString()
      const opaque = toOpaque(offer.extra)
      const fields = { realm, method: 'evm', intent: 'charge', expires, opaque } as const
      const id = sign({ ...fields, request: encode(request) }).toString('base64url')
      return { id, ...fields, request }
    },
    isOurs(id, bound) {
      const bytes = decodeBase64url(id)
      return bytes?.length === 32 && timingSafeEqual(bytes, sign(bound))
    },
  }
}

/** A challenge as a line of `WWW-Authenticate`; every value is ASCII without quotes. */
export const toHeader = ({ request, ...fields }: Challenge): string => {
  const { id, realm, method, intent, expires, opaque } = fields
  const parameters = { id, realm, method, intent, request: encode(request), expires, opaque }
  return `Payment ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}
