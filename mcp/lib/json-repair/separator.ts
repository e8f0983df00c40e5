import { type Cursor, fix } from './cursor.ts'
import { peek } from './space.ts'

/**
 * Moves past the comma between two values; notes one that is missing, wrong or before the closing bracket. False when there
 * was none.
 */
export const separate = (cursor: Cursor, closer: string): boolean => {
  const character = peek(cursor)
  if (character === ',' || character === ';') {
    if (character === ';') fix(cursor, 'wrong-separator')
    const comma = cursor.at++
    if (peek(cursor) === closer) fix(cursor, 'trailing-comma', comma)
    return true
  }
  if (character !== '' && !'}])'.includes(character)) fix(cursor, 'missing-comma')
  return false
}
