import { type Cursor, fix, matchAt, warn, within } from './cursor.ts'
import { readKey } from './key.ts'
import { isQuote } from './quote.ts'
import { separate } from './separator.ts'
import { peek } from './space.ts'
import type { JsonValue, Reader } from './word.ts'

type Members = { [key: string]: JsonValue }

/** A plain assignment of `__proto__` would change the object instead of adding a key. */
const setMember = (cursor: Cursor, members: Members, key: string, value: JsonValue, at: number): void => {
  if (Object.hasOwn(members, key)) warn(cursor, 'duplicate_key', at, key)
  if (key !== '__proto__') members[key] = value
  else Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true })
}

const skipColon = (cursor: Cursor): boolean => {
  const mark = matchAt(cursor, /:=?|=>?/y)
  if (mark === undefined) return false
  if (mark !== ':') fix(cursor, 'wrong-separator')
  cursor.at += mark.length
  return true
}

const closes = (cursor: Cursor, character: string, closer: '}' | ']'): boolean => {
  if (character === closer) {
    cursor.at++
    return true
  }
  if (character === '') {
    fix(cursor, 'unclosed-object')
    return true
  }
  const { open } = cursor
  const outer = {
    arrays: open.arrays - (closer === ']' ? 1 : 0),
    objects: open.objects - (closer === '}' ? 1 : 0),
  }
  const closesOuter =
    (character === ']' && outer.arrays > 0) ||
    (character === '}' && outer.objects > 0 && closer === ']') ||
    (character === ')' && open.rounds > 0) ||
    (character === '{' && outer.arrays > 0)
  if (closesOuter) fix(cursor, 'unclosed-object')
  if (closesOuter || !'}])'.includes(character)) return closesOuter
  fix(cursor, 'mismatched-bracket')
  cursor.at++
  return true
}

const readMember = (cursor: Cursor, members: Members, readValue: Reader, key: string, at: number): void => {
  const colon = peek(cursor) !== '' && skipColon(cursor)
  const character = peek(cursor)
  if (!colon && character === '') {
    fix(cursor, 'cut-short', at)
    if (isQuote(cursor.text[cursor.at - 1]) && cursor.at - at > 1) setMember(cursor, members, key, null, at)
    return
  }
  if (!colon) fix(cursor, 'missing-colon')
  setMember(cursor, members, key, readValue(cursor, 'member'), at)
}

/** A Python set: single values in braces. */
const readSet = (cursor: Cursor, readValue: Reader, at: number): JsonValue => {
  fix(cursor, 'set', at)
  cursor.at = at
  const values: JsonValue[] = []
  for (;;) {
    const character = peek(cursor)
    if (closes(cursor, character, '}')) return values
    if (character === ',') cursor.at++
    else values.push(readValue(cursor, 'element'))
  }
}

/** An array among the members goes on with the array before it. Undefined when there is none before it. */
const joinArrays = (cursor: Cursor, before: JsonValue | undefined, readValue: Reader): boolean => {
  if (!Array.isArray(before)) return false
  fix(cursor, 'extra-bracket')
  const more = readValue(cursor, 'member')
  if (Array.isArray(more)) for (const value of more) before.push(value)
  return true
}

/** A word after the last member, without a comma before it or a colon after it. */
const skipLastWord = (cursor: Cursor, separated: boolean, character: string): boolean => {
  if (separated || isQuote(character)) return false
  const word = matchAt(cursor, /[\p{L}_$][\p{L}\p{N}_$ -]{0,64}(?=\s{0,8}[}\]])/uy)
  if (word === undefined) return false
  fix(cursor, 'stray-text')
  cursor.at += word.length
  return true
}

/** Reads members up to the closing bracket into `members`; the opening one is behind the cursor. */
export const readMembers = (
  cursor: Cursor,
  readValue: Reader,
  closer: '}' | ']' = '}',
  members: Members = {},
): JsonValue => {
  let separated = true
  let last = ''
  for (let first = true; ; first = false) {
    const character = peek(cursor)
    if (closes(cursor, character, closer)) return members
    if (character === '[' && joinArrays(cursor, members[last], readValue)) {
      separated = separate(cursor, closer)
      continue
    }
    if (skipLastWord(cursor, separated, character)) continue
    const { at } = cursor
    const key = ',:'.includes(character) ? undefined : readKey(cursor, character)
    if (key === undefined) {
      fix(cursor, character === ',' ? 'extra-comma' : 'unexpected-character')
      cursor.at++
      continue
    }
    if (first && closer === '}' && ',}'.includes(peek(cursor) || ' ') && Object.keys(members).length === 0)
      return readSet(cursor, readValue, at)
    readMember(cursor, members, readValue, key, at)
    last = key
    separated = separate(cursor, closer)
  }
}

/** Reads an object whose opening bracket is at the cursor. */
export const readObject = (cursor: Cursor, readValue: Reader): JsonValue => {
  cursor.at++
  return within(cursor, '{', () => readMembers(cursor, readValue))
}
