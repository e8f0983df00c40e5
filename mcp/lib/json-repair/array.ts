import { type Cursor, fix, matchAt, within } from './cursor.ts'
import { fenceAt } from './fence.ts'
import { readMembers } from './object.ts'
import { separate } from './separator.ts'
import { peek } from './space.ts'
import type { JsonValue, Reader } from './word.ts'

const closes = (cursor: Cursor, character: string, closer: string): boolean => {
  if (character === closer) {
    cursor.at++
    return true
  }
  if (character === '') {
    fix(cursor, 'unclosed-array')
    return true
  }
  const { open } = cursor
  const closesOuter =
    (character === '}' && open.objects > 0) ||
    (character === ']' && open.arrays > 0) ||
    (character === ')' && open.rounds > (closer === ')' ? 1 : 0))
  if (closesOuter) fix(cursor, 'unclosed-array')
  return closesOuter
}

const goesOn = /[}\])]\s{0,8},\s{0,64}[{["'\d]/y

/** A closing bracket of another kind, with nothing open that it could close, is one too many where the array goes on. */
const skipExtra = (cursor: Cursor, closer: string): boolean => {
  if (matchAt(cursor, goesOn) === undefined) return false
  fix(cursor, 'extra-bracket')
  cursor.at++
  separate(cursor, closer)
  return true
}

/** Accepts any bracket as the right one where the array stops. */
const isMismatchedClose = (cursor: Cursor, character: string): boolean => {
  if (!'}])'.includes(character)) return false
  fix(cursor, 'mismatched-bracket')
  cursor.at++
  return true
}

/** `["a": 1}]`: members that end with a brace and then the bracket lack the brace before them, and the array is one. */
const closeAround = (cursor: Cursor, members: JsonValue): JsonValue => {
  if (cursor.text[cursor.at - 1] !== '}') return members
  const end = matchAt(cursor, /\s{0,64}\]/y)
  if (end === undefined) return members
  cursor.at += end.length
  return [members]
}

/** Reads elements up to the closing bracket; the opening one is behind the cursor. */
const readElements = (
  cursor: Cursor,
  closer: ']' | ')',
  readValue: Reader,
  values: JsonValue[] = [],
): JsonValue => {
  for (;;) {
    const character = peek(cursor)
    const isFence = character === '' && fenceAt(cursor) !== undefined
    if (!isFence && closes(cursor, character, closer)) return values
    if (skipExtra(cursor, closer)) continue
    if (character !== '' && isMismatchedClose(cursor, character)) return values
    if (character === ',') {
      fix(cursor, 'extra-comma')
      cursor.at++
      continue
    }
    const { at } = cursor
    const value = readValue(cursor, 'element')
    if (typeof value === 'string' && peek(cursor) === ':') {
      if (values.length === 0 && closer === ']') {
        fix(cursor, 'mismatched-bracket', at)
        cursor.at = at
        return closeAround(cursor, readMembers(cursor, readValue, ']'))
      }
      if (values.length > 0 && cursor.open.closers.at(-2) === '}') {
        fix(cursor, 'unclosed-array', at)
        cursor.at = at
        return values
      }
      fix(cursor, 'unexpected-character')
      cursor.at++
    }
    values.push(value)
    separate(cursor, closer)
  }
}

/** Reads an array or a tuple whose opening bracket is at the cursor. */
export const readArray = (cursor: Cursor, readValue: Reader): JsonValue => {
  const round = cursor.text[cursor.at] === '('
  if (round) fix(cursor, 'tuple')
  cursor.at++
  return within(cursor, round ? '(' : '[', () => readElements(cursor, round ? ')' : ']', readValue))
}
