import { isRecord } from '../../lib/json.ts'
import type { Payload } from '../rail.ts'

type Hex = `0x${string}`

/** What a payer signed (EIP-3009), read strictly and in lower case. Times are Unix seconds. */
export type Authorization = {
  from: Hex
  to: Hex
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
  signature: Hex
}

const hexOf = (value: unknown, pattern: RegExp): Hex | undefined =>
  typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : undefined

const numberOf = (value: unknown): bigint | undefined => {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) return undefined
  const number = BigInt(value)
  return number < 1n << 256n ? number : undefined
}

const address = /^0x[0-9a-f]{40}$/i
const word = /^0x[0-9a-f]{64}$/i
// Smart accounts sign with any length; eight kilobytes is past all of them.
const bytes = /^0x([0-9a-f]{2}){1,8192}$/i

/** The authorization in an x402 `exact` payload for EVM; undefined when it is not one, Permit2 included. */
export const readAuthorization = ({ payload }: Payload): Authorization | undefined => {
  if (!isRecord(payload) || !isRecord(payload.authorization)) return undefined
  const told = payload.authorization
  const from = hexOf(told.from, address)
  const to = hexOf(told.to, address)
  const nonce = hexOf(told.nonce, word)
  const signature = hexOf(payload.signature, bytes)
  const value = numberOf(told.value)
  const validAfter = numberOf(told.validAfter)
  const validBefore = numberOf(told.validBefore)
  if (!from || !to || !nonce || !signature) return undefined
  if (value === undefined || validAfter === undefined || validBefore === undefined) return undefined
  return { from, to, value, validAfter, validBefore, nonce, signature }
}
