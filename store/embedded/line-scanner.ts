import { toByteOrder } from '../order.ts'
import type { Line } from './arena.ts'
import { tags, terminatorByte, valueKey, writeNumberKey } from './key.ts'
import type { PackedKeys } from './packed-keys.ts'

/**
 * Reads some top-level fields of documents from the bytes of their lines, without making objects of them, and writes index entries
 * from them. The text of a line is taken to be JSON, as the store wrote it.
 */
export type LineScanner = {
  /** Looks at a line; false where only JSON.parse can tell what its fields hold. */
  scan(line: Line): boolean
  /** The numbers that the scanner gives these fields, all of which it was made for. */
  positionsOf(fields: readonly string[]): readonly number[]
  /** Adds the entry of the line, as `entryKey` makes it of the values of these fields and the id. */
  addEntry(keys: PackedKeys, positions: readonly number[]): void
  /** UTF-8 bytes of the id and of strings in these fields, and nine for anything else. */
  keyBytes(positions: readonly number[]): number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const brace = 0x7b
const closingBrace = 0x7d
const bracket = 0x5b
const closingBracket = 0x5d
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const letterF = 0x66
const letterN = 0x6e
const letterT = 0x74
const numberBytes = 9
/** Integers of so many digits are exact, however they are added up. */
const maxExactDigits = 15

/** Behind the quote that ends a string whose first one lies before `at`; -1 where there is none. */
const skipString = (bytes: Buffer, start: number, end: number): number => {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte === quote) return at + 1
    if (byte === backslash) at++
  }
  return -1
}

const skipNested = (bytes: Buffer, start: number, end: number): number => {
  let depth = 0
  for (let at = start; at < end; ) {
    const byte = bytes[at++]
    if (byte === quote) {
      at = skipString(bytes, at, end)
      if (at < 0) return -1
    } else if (byte === brace || byte === bracket) depth++
    else if ((byte === closingBrace || byte === closingBracket) && --depth === 0) return at
  }
  return -1
}

const isScalarStart = (byte: number): boolean =>
  (byte >= zero && byte <= nine) || byte === minus || byte === letterT || byte === letterF || byte === letterN

/** Behind the value that begins at `start`; -1 where that is not plain. */
const skipValue = (bytes: Buffer, start: number, end: number): number => {
  const first = bytes[start] as number
  if (first === quote) return skipString(bytes, start + 1, end)
  if (first === brace || first === bracket) return skipNested(bytes, start, end)
  if (!isScalarStart(first)) return -1
  let at = start + 1
  for (; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === comma || byte === closingBrace) break
    if (byte <= 0x20) return -1
  }
  return at
}

const hasBackslash = (bytes: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return true
  return false
}

const parseNumber = (bytes: Buffer, start: number, end: number): number => {
  const isNegative = bytes[start] === minus
  const first = isNegative ? start + 1 : start
  if (end - first > maxExactDigits) return Number(bytes.toString('latin1', start, end))
  let value = 0
  for (let at = first; at < end; at++) {
    const byte = bytes[at] as number
    if (byte < zero || byte > nine) return Number(bytes.toString('latin1', start, end))
    value = value * 10 + byte - zero
  }
  return isNegative ? -value : value
}

const parseString = (bytes: Buffer, start: number, end: number): string =>
  JSON.parse(bytes.toString('utf8', start, end))

/** A scanner for these fields, each of them once. */
export const lineScanner = (fields: readonly string[]): LineScanner => {
  const names = fields.map(field => Buffer.from(field))
  const starts = new Float64Array(fields.length)
  const ends = new Float64Array(fields.length)
  /** Of strings with escapes: their keys, and their bytes in UTF-8. */
  const escapedKeys: (string | undefined)[] = fields.map(() => undefined)
  const weights = new Float64Array(fields.length)
  let bytes: Buffer = Buffer.alloc(0)
  let idStart = 0
  let idEnd = 0
  let escapedId: string | undefined

  const positionOf = (start: number, end: number): number => {
    for (let position = 0; position < names.length; position++) {
      const name = names[position] as Buffer
      if (name.length !== end - start) continue
      let at = 0
      while (at < name.length && name[at] === bytes[start + at]) at++
      if (at === name.length) return position
    }
    return -1
  }
  /** Finds the values, the last one of fields that are named twice; false where anything is out of the ordinary. */
  const find = (start: number, end: number): boolean => {
    let at = start
    if (bytes[at++] !== brace) return false
    if (bytes[at] === closingBrace) return at + 1 === end
    while (at < end) {
      if (bytes[at++] !== quote) return false
      const nameStart = at
      for (; bytes[at] !== quote; at++) if (at >= end || bytes[at] === backslash) return false
      const position = positionOf(nameStart, at)
      if (bytes[++at] !== colon) return false
      const valueStart = at + 1
      at = skipValue(bytes, valueStart, end)
      if (at < 0) return false
      if (position >= 0) {
        starts[position] = valueStart
        ends[position] = at
      }
      const next = bytes[at++]
      if (next === closingBrace) return at === end
      if (next !== comma) return false
    }
    return false
  }
  /** Decodes what has escapes and weighs everything; false for lists and objects, which have no place in an index. */
  const look = (position: number): boolean => {
    const start = starts[position] as number
    const first = start === 0 ? letterN : (bytes[start] as number)
    escapedKeys[position] = undefined
    weights[position] = numberBytes
    if (first === brace || first === bracket) return false
    if (first !== quote) return true
    const end = ends[position] as number
    if (hasBackslash(bytes, start, end)) {
      const text = parseString(bytes, start, end)
      escapedKeys[position] = valueKey(text)
      weights[position] = Buffer.byteLength(text)
    } else weights[position] = end - start - 2
    return true
  }
  const maxKey = (position: number): number =>
    escapedKeys[position]?.length ??
    Math.max(numberBytes, (ends[position] as number) - (starts[position] as number))

  const writeText = (target: Buffer, at: number, text: string): number =>
    at + target.write(text, at, 'latin1')
  const writeSpan = (target: Buffer, at: number, start: number, end: number): number => {
    if (end - start > 64) bytes.copy(target, at, start, end)
    else for (let byte = start; byte < end; byte++) target[at + byte - start] = bytes[byte] as number
    return at + end - start
  }
  const writeValue = (target: Buffer, at: number, position: number): number => {
    const escapedKey = escapedKeys[position]
    if (escapedKey !== undefined) return writeText(target, at, escapedKey)
    const start = starts[position] as number
    const end = ends[position] as number
    const first = start === 0 ? letterN : (bytes[start] as number)
    if (first === quote) {
      target[at] = tags.text.charCodeAt(0)
      const behindText = writeSpan(target, at + 1, start + 1, end - 1)
      target[behindText] = terminatorByte
      return behindText + 1
    }
    if (first === letterN || first === letterT || first === letterF) {
      const tag = first === letterN ? tags.null : first === letterT ? tags.true : tags.false
      target[at] = tag.charCodeAt(0)
      return at + 1
    }
    target[at] = tags.number.charCodeAt(0)
    return writeNumberKey(target, at + 1, parseNumber(bytes, start, end))
  }
  return {
    scan: line => {
      bytes = line.bytes
      starts.fill(0)
      ends.fill(0)
      idStart = line.start + line.idAt + 1
      idEnd = line.start + line.textAt - 2
      // A line feed ends the line.
      if (!find(line.start + line.textAt, line.end - 1)) return false
      for (let position = 0; position < names.length; position++) if (!look(position)) return false
      escapedId = hasBackslash(bytes, idStart, idEnd)
        ? toByteOrder(parseString(bytes, idStart - 1, idEnd + 1))
        : undefined
      return true
    },
    positionsOf: some => some.map(field => fields.indexOf(field)),
    addEntry: (keys, positions) => {
      let most = 1 + (escapedId?.length ?? idEnd - idStart)
      for (const position of positions) most += maxKey(position)
      const { bytes: target, at: start } = keys.reserve(most)
      let at = start
      for (const position of positions) at = writeValue(target, at, position)
      target[at++] = tags.text.charCodeAt(0)
      keys.finish(
        escapedId === undefined ? writeSpan(target, at, idStart, idEnd) : writeText(target, at, escapedId),
      )
    },
    keyBytes: positions => {
      let sum = escapedId?.length ?? idEnd - idStart
      for (const position of positions) sum += weights[position] as number
      return sum
    },
  }
}
