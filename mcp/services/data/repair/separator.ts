import { type Cursor, fix } from './cursor.ts'
import { peek } from './space.ts'

/** Moves past the comma between two values; notes one that is missing, wrong or before the closing bracket. */
export const separate = (cursor: Cursor, closer: string): void => {
  const character = peek(cursor)
  if (character === ',' || character === ';') {
    if (character === ';') fix(cursor, 'wrong-separator')
    const comma = cursor.at++
    if (peek(cursor) === closer) fix(cursor, 'trailing-comma', comma)
    return
  }
  if (character !== '' && !'}])'.includes(character)) fix(cursor, 'missing-comma')
}
