import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isRecord } from '../../lib/json.ts'
import type { Payload } from '../rail.ts'

const most = 65_536

const decoded = (raw: unknown): unknown => {
  if (typeof raw !== 'string') return raw
  if (raw.length > most * 2) return undefined
  try {
    return JSON.parse(Buffer.from(raw, 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}

const isOffer = (value: unknown): boolean =>
  isRecord(value) &&
  value.scheme === 'exact' &&
  ['network', 'asset', 'payTo'].every(name => typeof value[name] === 'string') &&
  typeof value.amount === 'string' &&
  /^\d{1,78}$/.test(value.amount)

/**
 * The x402 v2 payload of a payment as a transport carried it: the base64 of PAYMENT-SIGNATURE, or the object itself.
 * Undefined when it is none, or over 64 KiB.
 */
export const readPayload = (raw: unknown): Payload | undefined => {
  const value = decoded(raw)
  if (!isRecord(value) || value.x402Version !== 2) return undefined
  if (!isOffer(value.accepted) || !isRecord(value.payload)) return undefined
  try {
    if (JSON.stringify(value).length > most) return undefined
    const { accepted, payload } = value
    canonicalize({ accepted, payload })
  } catch {
    return undefined
  }
  return value as Payload
}

/** SHA-256 over values in canonical JSON (RFC 8785), base64url. */
export const digest = (...values: unknown[]): string =>
  createHash('sha256')
    .update(canonicalize(values) ?? '')
    .digest('base64url')

/**
 * The record's id: the authorization and all that came with it. A signature can be read off the chain once it is used;
 * the quote within `accepted` cannot, so nobody but the payer can repeat the payload.
 */
export const keyOf = (identity: string, { accepted, payload }: Payload): string =>
  digest('payload', identity, accepted, payload)
