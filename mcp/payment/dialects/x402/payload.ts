import canonicalize from 'canonicalize'
import { isRecord } from '../../../lib/json.ts'
import { fromNameV1 } from '../../../lib/x402-networks.ts'
import type { AcceptedTerms } from '../../method.ts'

type Fields = Readonly<Record<string, unknown>>

/** An entry of x402 v2 `accepts`, exactly its seven fields. */
export type Requirements = {
  scheme: 'exact'
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Fields
}

/** An x402 v2 PaymentPayload as clients send it. */
export type Payload = {
  x402Version: 2
  accepted: Requirements
  payload: Fields
  resource?: unknown
  extensions?: unknown
}

/** A payment of either version in the words of version 2. Version 1 says nothing of the terms but the network. */
export type ReadPayload = {
  version: 1 | 2
  network: string
  accepted: AcceptedTerms | undefined
  /** `accepted` as it came, every member of it. */
  rawAccepted: unknown
  payload: Fields
}

const maxBytes = 65_536

const decode = (raw: unknown): unknown => {
  if (typeof raw !== 'string') return raw
  if (raw.length > maxBytes * 2) return undefined
  try {
    return JSON.parse(Buffer.from(raw, 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}

const readTerms = (value: unknown): (AcceptedTerms & { network: string }) | undefined => {
  if (!isRecord(value) || value.scheme !== 'exact') return undefined
  const { network, asset, payTo, amount, extra } = value
  if (typeof network !== 'string' || typeof asset !== 'string' || typeof payTo !== 'string') return undefined
  if (typeof amount !== 'string' || !/^\d{1,78}$/.test(amount)) return undefined
  return { network, asset, payTo, amount, extra: isRecord(extra) ? extra : {} }
}

const isCanonical = (value: unknown): boolean => {
  try {
    return JSON.stringify(value).length <= maxBytes && canonicalize(value) !== undefined
  } catch {
    return false
  }
}

const readV2 = ({ accepted: rawAccepted, payload }: Fields): ReadPayload | undefined => {
  const terms = readTerms(rawAccepted)
  if (!terms || !isRecord(payload)) return undefined
  const { network, ...accepted } = terms
  return { version: 2, network, accepted, rawAccepted, payload }
}

const readV1 = ({ scheme, network, payload }: Fields): ReadPayload | undefined => {
  if (scheme !== 'exact' || typeof network !== 'string' || !isRecord(payload)) return undefined
  return {
    version: 1,
    network: fromNameV1(network) ?? network,
    accepted: undefined,
    rawAccepted: undefined,
    payload,
  }
}

/**
 * The x402 payload of a payment as a transport carried it: the base64 of a header, or the object itself. Undefined when it is of
 * neither version, or over 64 KiB.
 */
export const readPayload = (raw: unknown): ReadPayload | undefined => {
  const value = decode(raw)
  if (!isRecord(value) || !isCanonical(value)) return undefined
  if (value.x402Version === 2) return readV2(value)
  return value.x402Version === 1 ? readV1(value) : undefined
}
