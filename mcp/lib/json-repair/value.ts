import { readArray } from './array.ts'
import { type Cursor, fix, maxDepth } from './cursor.ts'
import { readNumber } from './number.ts'
import { readObject } from './object.ts'
import { isQuote } from './quote.ts'
import { peek } from './space.ts'
import { readString } from './string.ts'
import { type Json, type Reader, readWord } from './word.ts'

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

const readBracket = (cursor: Cursor, character: string, readInner: Reader): Json => {
  if (cursor.open.closers.length >= maxDepth) {
    fix(cursor, 'too-deep')
    skipNested(cursor)
    return null
  }
  return character === '{' ? readObject(cursor, readInner) : readArray(cursor, readInner)
}

/** Reads the value at the cursor. What fits nowhere is dropped; where a value is missing it is null. */
export const readValue: Reader = (cursor, role) => {
  for (;;) {
    const character = peek(cursor)
    if (character === '{' || character === '[' || character === '(')
      return readBracket(cursor, character, readValue)
    if (isQuote(character)) return readString(cursor, role)
    if (character === '' || ',}])'.includes(character)) {
      fix(cursor, 'missing-value')
      if (character === '') fix(cursor, 'cut-short')
      return null
    }
    if ('+-.0123456789'.includes(character)) {
      const number = readNumber(cursor)
      if (number !== undefined) return number
    }
    const word = readWord(cursor, () => readValue(cursor, role))
    if (word) return word.value
    fix(cursor, 'unexpected-character')
    cursor.at++
  }
}
