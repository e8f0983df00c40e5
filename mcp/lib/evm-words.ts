import type { Hex } from 'viem'
import { clean } from './text/clean.ts'

/** The bytes a call returns; null where it reverts or its answer is too long. */
export type Returned = Hex | null

/** Characters of a name or a symbol that are shown. */
export const maxText = 100

const wordAt = (hex: Hex, byte: number): bigint | undefined => {
  const digits = hex.slice(2 + byte * 2, 66 + byte * 2)
  return digits.length === 64 ? BigInt(`0x${digits}`) : undefined
}

/** The number in an answer of at least one word; null for any other answer. */
export const numberIn = (returned: Returned): bigint | null =>
  returned === null ? null : (wordAt(returned, 0) ?? null)

/** True only for an answer that is the word 1. */
export const isTrue = (returned: Returned): boolean => returned?.length === 66 && numberIn(returned) === 1n

const decodeText = (digits: string): string => Buffer.from(digits, 'hex').toString('utf8')

/** Old tokens answer with 32 bytes, padded with zeros. */
const shortText = (hex: Hex): string => decodeText(hex.slice(2).replace(/(?:00)+$/, ''))

const longText = (hex: Hex): string | null => {
  const offset = wordAt(hex, 0)
  if (offset === undefined || offset > BigInt(hex.length)) return null
  const length = wordAt(hex, Number(offset))
  if (length === undefined) return null
  const bytes = length < 4_096n ? Number(length) : 4_096
  const start = 2 + (Number(offset) + 32) * 2
  return decodeText(hex.slice(start, start + bytes * 2))
}

/** The text in an answer, safe to show: a string, or the 32 bytes of old tokens. Null when there is none. */
export const returnedText = (returned: Returned): string | null => {
  if (returned === null) return null
  const text = returned.length === 66 ? shortText(returned) : longText(returned)
  return clean(text?.replaceAll('\uFFFD', ''), maxText)
}
