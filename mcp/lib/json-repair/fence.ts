import { type Cursor, fix, matchAt } from './cursor.ts'
import { afterBlank } from './space.ts'

const namedFencePattern = /```[A-Za-z][\w.+-]{0,20}[ \t]{0,8}\r?\n?\s{0,64}(?=[{["'\d-])/y
const bare = /```[ \t]{0,8}\r?\n?\s{0,64}(?=[{[])/y

/**
 * What opens a code fence around a value inside an array or object; undefined for the end of a fence. In JSON that stands in a
 * fence itself only one with a language opens another.
 */
export const fenceAt = (cursor: Cursor): string | undefined => {
  if (cursor.open.closers.length === 0) return undefined
  return matchAt(cursor, namedFencePattern) ?? (cursor.fenced ? undefined : matchAt(cursor, bare))
}

/** Reads a value in a fence that `fenceAt` saw, with its end. */
export const readFenced = <Value>(cursor: Cursor, fence: string, read: () => Value): Value => {
  fix(cursor, 'code-fence')
  cursor.at += fence.length
  const value = read()
  const end = afterBlank(cursor, cursor.at)
  if (cursor.text.startsWith('```', end)) cursor.at = end + 3
  return value
}
