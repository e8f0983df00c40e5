import type { Authorization } from '../../../lib/eip3009.ts'
import { isRecord } from '../../../lib/json.ts'
import type { Attempt } from '../../method.ts'

type Hex = `0x${string}`

/** Signed authorization, read strictly and in lower case. */
export type SignedAuthorization = Authorization & { signature: Hex }

const readHex = (value: unknown, pattern: RegExp): Hex | undefined =>
  typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : undefined

const readNumber = (value: unknown): bigint | undefined => {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) return undefined
  const number = BigInt(value)
  return number < 1n << 256n ? number : undefined
}

const address = /^0x[0-9a-f]{40}$/i
const word = /^0x[0-9a-f]{64}$/i
// Smart accounts sign with any length; eight kilobytes is past all of them.
const bytes = /^0x([0-9a-f]{2}){1,8192}$/i

/** The authorization that an attempt brings (EIP-3009); undefined when it is not one, Permit2 included. */
export const readAuthorization = ({ data }: Pick<Attempt, 'data'>): SignedAuthorization | undefined => {
  if (!isRecord(data.authorization)) return undefined
  const fields = data.authorization
  const from = readHex(fields.from, address)
  const to = readHex(fields.to, address)
  const nonce = readHex(fields.nonce, word)
  const signature = readHex(data.signature, bytes)
  const value = readNumber(fields.value)
  const validAfter = readNumber(fields.validAfter)
  const validBefore = readNumber(fields.validBefore)
  if (!from || !to || !nonce || !signature) return undefined
  if (value === undefined || validAfter === undefined || validBefore === undefined) return undefined
  return { from, to, value, validAfter, validBefore, nonce, signature }
}
