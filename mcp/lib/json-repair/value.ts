import { readArray } from './array.ts'
import { type Cursor, fix, matchAt, maxDepth } from './cursor.ts'
import { fenceAt, readFenced } from './fence.ts'
import { readJsonNumber } from './number.ts'
import { readObject } from './object.ts'
import { isQuote } from './quote.ts'
import { peek } from './space.ts'
import { readString } from './string.ts'
import { type JsonValue, type Reader, readWord } from './word.ts'

/** Moves past a bracket and all in it without reading it; brackets inside strings do not count. */
const skipNested = (cursor: Cursor): void => {
  const { text } = cursor
  const marks = /["[\]{}]|\\./g
  marks.lastIndex = cursor.at
  let depth = 0
  let quoted = false
  cursor.steps -= cursor.at
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const mark = match[0]
    if (mark === '"') quoted = !quoted
    if (quoted) continue
    if (mark === '{' || mark === '[') depth++
    if ((mark === '}' || mark === ']') && --depth === 0) {
      cursor.at = marks.lastIndex
      cursor.steps += cursor.at
      return
    }
  }
  cursor.at = text.length
  cursor.steps += cursor.at
}

const readBracket = (cursor: Cursor, character: string, readInner: Reader): JsonValue => {
  if (cursor.open.closers.length >= maxDepth) {
    fix(cursor, 'too-deep')
    skipNested(cursor)
    return null
  }
  return character === '{' ? readObject(cursor, readInner) : readArray(cursor, readInner)
}

/** Text with commas in it that ends in a quote but begins without one: `{"a": one, two", "b": 1}`. */
const unopenedStringPattern =
  /\p{L}[^"'\n:{}[\]]{0,400}(?="\s{0,8}(?:,?\s{0,8}\}|,\s{0,8}"[^"\n]{1,64}"\s{0,8}:))/uy

const readUnopened = (cursor: Cursor): string | undefined => {
  const text = matchAt(cursor, unopenedStringPattern)
  // After a comma at its end the quote opens the next key.
  if (!text?.includes(',') || /,\s{0,8}$/.test(text)) return undefined
  fix(cursor, 'unquoted-string')
  cursor.at += text.length + 1
  return text
}

/** JSON in a string whose quotes are not escaped, in a fence or not: `"{"a": 1}"`. No valid string begins so. */
const quotedObject =
  /"(?:```[A-Za-z]{0,10}\s{0,8}(?=[{[]\s{0,8}(?:[{[]\s{0,8})?"[\p{L}\p{N}_])|(?=\{\s{0,8}"[\p{L}_][^"\n]{0,63}"\s{0,8}:))/uy

const quotedEnd = /\s{0,8}(?:```)?\s{0,8}"/y

const readQuotedObject = (cursor: Cursor, quotation: string, read: () => JsonValue): JsonValue => {
  if (cursor.open.closers.length >= maxDepth) return readString(cursor, 'member')
  fix(cursor, 'quoted-json')
  cursor.at += quotation.length
  const value = read()
  cursor.at += matchAt(cursor, quotedEnd)?.length ?? 0
  return value
}

/** Thousands with a comma or a blank, and times of the day: numbers by their signs, but what number is not ours to say. */
const groupedOrTime =
  /(?:[+-]?\d{1,3}(?:(?:,\d{3}){1,8}|(?: \d{3}){1,8})(?:\.\d{1,20})?|\d{1,2}:[0-5]\d(?::[0-5]\d)?)(?=\s{0,8}(?:[,}\]]|$))/y

const readAsWritten = (cursor: Cursor): string | undefined => {
  const text = matchAt(cursor, groupedOrTime)
  if (text === undefined) return undefined
  fix(cursor, 'unquoted-string')
  cursor.at += text.length
  return text
}

/** Reads the value at the cursor. What fits nowhere is dropped; where a value is missing it is null. */
export const readValue: Reader = (cursor, role) => {
  for (;;) {
    const character = peek(cursor)
    const fence = character === '' ? fenceAt(cursor) : undefined
    if (fence !== undefined) return readFenced(cursor, fence, () => readValue(cursor, role))
    const open = role === 'member' ? readUnopened(cursor) : undefined
    if (open !== undefined) return open
    if (character === '{' || character === '[' || character === '(')
      return readBracket(cursor, character, readValue)
    const quotation = character === '"' ? matchAt(cursor, quotedObject) : undefined
    if (quotation !== undefined) return readQuotedObject(cursor, quotation, () => readValue(cursor, role))
    if (isQuote(character)) return readString(cursor, role)
    if (character === '' || ',}])'.includes(character)) {
      fix(cursor, 'missing-value')
      if (character === '') fix(cursor, 'cut-short')
      return null
    }
    if ('+-.0123456789'.includes(character)) {
      const written = role === 'member' ? readAsWritten(cursor) : undefined
      if (written !== undefined) return written
      const number = readJsonNumber(cursor)
      if (number !== undefined) return number
    }
    const word = readWord(cursor, () => readValue(cursor, role))
    if (word) return word.value
    fix(cursor, 'unexpected-character')
    cursor.at++
  }
}
