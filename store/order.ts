import type { Scalar } from './index.ts'

const rank = (value: Scalar): number => {
  if (value === null) return 0
  if (value === false) return 1
  if (value === true) return 2
  return typeof value === 'number' ? 3 : 4
}

const beyondAscii = /[^\0-\x7f]/
const loneSurrogate = /\p{Surrogate}/u

/** The UTF-8 of a text that may hold half a surrogate pair, which is written as if it were a character. */
const looseUtf8 = (text: string): string => {
  let bytes = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes +=
      code >= 0xd800 && code < 0xe000
        ? String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
        : Buffer.from(character).toString('latin1')
  }
  return bytes
}

/**
 * The UTF-8 bytes of `text` as a text of one unit each, so that plain JavaScript order is that of the bytes. What is
 * ASCII stays as it is; `fromByteOrder` takes it back.
 */
export const toByteOrder = (text: string): string => {
  if (!beyondAscii.test(text)) return text
  return loneSurrogate.test(text) ? looseUtf8(text) : Buffer.from(text).toString('latin1')
}

/** The text that `toByteOrder` was given, where it was whole. */
export const fromByteOrder = (bytes: string): string =>
  beyondAscii.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes

/** Negative, zero or positive, in the order of an index: null, false, true, numbers, strings by UTF-8 bytes. */
const compareScalars = (a: Scalar, b: Scalar): number => {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a !== 'string' || typeof b !== 'string') return rank(a) - rank(b)
  return toByteOrder(a) < toByteOrder(b) ? -1 : 1
}

/** Compares index keys field by field; of two where one begins the other, the shorter comes first. */
export const compareKeys = (a: readonly Scalar[], b: readonly Scalar[]): number => {
  for (const [position, value] of a.entries()) {
    const other = b[position]
    if (other === undefined) return 1
    const order = compareScalars(value, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}
