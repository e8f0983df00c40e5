import type { Scalar } from '../index.ts'
import { fromByteOrder, toByteOrder } from '../order.ts'

const terminator = '\0'
/** The byte behind a string in a key. */
export const terminatorByte = 0
/** Kinds of value that follow in a key; as texts of one unit, which is one byte. */
export const tags = { null: '\x01', false: '\x02', true: '\x03', number: '\x04', text: '\x05' } as const
const bits = new DataView(new ArrayBuffer(8))

/** Behind every key that goes on from a given beginning. */
export const behind = '\x06'

const signOf = (value: number): number => {
  bits.setFloat64(0, value + 0)
  return bits.getInt32(0) >> 31
}

const numberKey = (value: number): string => {
  const sign = signOf(value)
  const high = bits.getUint32(0) ^ (sign | 0x80000000)
  const low = bits.getUint32(4) ^ sign
  return (
    String.fromCharCode(high >>> 24, (high >>> 16) & 255, (high >>> 8) & 255, high & 255) +
    String.fromCharCode(low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255)
  )
}

/** Writes what follows the tag of a number in a key. Returns where that ends. */
export const writeNumberKey = (target: Uint8Array, at: number, value: number): number => {
  const sign = signOf(value)
  const high = bits.getUint32(0) ^ (sign | 0x80000000)
  const low = bits.getUint32(4) ^ sign
  target[at] = high >>> 24
  target[at + 1] = high >>> 16
  target[at + 2] = high >>> 8
  target[at + 3] = high
  target[at + 4] = low >>> 24
  target[at + 5] = low >>> 16
  target[at + 6] = low >>> 8
  target[at + 7] = low
  return at + 8
}

const escapeKey = (text: string): string =>
  text.includes('\0') || text.includes('\x01')
    ? text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01')
    : text

/** One value as text. Keys compared as plain text stand in the order of their values. */
export const valueKey = (value: Scalar): string => {
  if (typeof value === 'string') return tags.text + escapeKey(toByteOrder(value)) + terminator
  if (typeof value === 'number') return tags.number + numberKey(value)
  return tags[`${value}`]
}

/** Several values as text, one behind the other. */
export const valuesKey = (values: readonly Scalar[]): string => {
  let key = ''
  for (const value of values) key += valueKey(value)
  return key
}

/** The entry of a document: its values, then its id. */
export const entryKey = (values: readonly Scalar[], id: string): string =>
  valuesKey(values) + tags.text + toByteOrder(id)

const skip = (entry: string, start: number): number => {
  if (entry[start] === tags.number) return start + 9
  return entry[start] === tags.text ? entry.indexOf(terminator, start) + 1 : start + 1
}

/** End of the values in an entry of `fields` fields, where its id begins with a tag. */
export const valuesEnd = (bytes: Uint8Array, start: number, fields: number): number => {
  let at = start
  for (let field = 0; field < fields; field++) {
    const tag = bytes[at]
    if (tag === tags.number.charCodeAt(0)) at += 9
    else at = tag === tags.text.charCodeAt(0) ? bytes.indexOf(terminatorByte, at) + 1 : at + 1
  }
  return at
}

/** The id in an entry of an index of `fields` fields. */
export const idOfEntry = (entry: string, fields: number): string => {
  let start = 0
  for (let field = 0; field < fields; field++) start = skip(entry, start)
  return fromByteOrder(entry.slice(start + 1))
}
