import canonicalize from 'canonicalize'
import { isRecord } from '../../../lib/json.ts'

type Fields = Readonly<Record<string, unknown>>

/** An x402 v2 PaymentPayload as it came over a wire; only its outline is checked. */
export type Payload = {
  x402Version: 2
  accepted: Requirements
  payload: Fields
  resource?: unknown
  extensions?: unknown
}

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

const isRequirements = (value: unknown): boolean =>
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
  const value = decode(raw)
  if (!isRecord(value) || value.x402Version !== 2) return undefined
  if (!isRequirements(value.accepted) || !isRecord(value.payload)) return undefined
  try {
    if (JSON.stringify(value).length > maxBytes) return undefined
    const { accepted, payload } = value
    canonicalize({ accepted, payload })
  } catch {
    return undefined
  }
  return value as Payload
}
