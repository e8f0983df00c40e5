import { type Cursor, fix, matchAt } from './cursor.ts'

const blank = /[ \t\n\r]*/y
const special = /[\s\u200b\u2060\ufeff\u0085\u180e]/

/** Offset of the next character that is no JSON whitespace. */
export const afterBlank = (cursor: Cursor, offset: number): number =>
  offset + (matchAt(cursor, blank, offset)?.length ?? 0)

const findEnd = (cursor: Cursor, mark: string, from: number): number => {
  const index = cursor.text.indexOf(mark, from)
  const end = index < 0 ? cursor.text.length : index
  cursor.steps += end - from
  return end
}

/** A comment in the last line ends where what is open around it is closed, or else all after it would be lost. */
const lastCommentEnd = (cursor: Cursor): number => {
  const { text, at, open } = cursor
  const bracket = open.closers.length > 0 ? text.slice(at).search(/[}\]]/) : -1
  const end = bracket < 0 ? text.length : at + bracket
  cursor.steps += end - at
  return end
}

const skipComment = (cursor: Cursor, two: string): boolean => {
  if (two === '/*') {
    fix(cursor, 'comment')
    cursor.at = Math.min(cursor.text.length, findEnd(cursor, '*/', cursor.at + 2) + 2)
    return true
  }
  if (two !== '//' && two[0] !== '#') return false
  fix(cursor, 'comment')
  const isLast = cursor.at > cursor.lastBreak
  cursor.at = isLast ? lastCommentEnd(cursor) : findEnd(cursor, '\n', cursor.at)
  return true
}

const skipEllipsis = (cursor: Cursor): boolean => {
  const dots = matchAt(cursor, /(?:\.\.\.|…)/y)
  if (!dots) return false
  fix(cursor, 'ellipsis')
  cursor.at += dots.length
  const comma = afterBlank(cursor, cursor.at)
  if (cursor.text[comma] === ',') cursor.at = comma + 1
  return true
}

/**
 * Moves past whitespace, comments and ellipses, and returns the character that follows; empty at the end of the text
 * and at a code fence, which ends it as well.
 */
export const peek = (cursor: Cursor): string => {
  const { text } = cursor
  for (;;) {
    cursor.at = afterBlank(cursor, cursor.at)
    const character = text[cursor.at]
    if (character === undefined) return ''
    if (character > '~' || character < ' ') {
      if (special.test(character)) {
        fix(cursor, 'special-whitespace')
        cursor.at++
        continue
      }
      if (character !== '…') return character
    }
    if (character === '/' || character === '#') {
      if (skipComment(cursor, text.slice(cursor.at, cursor.at + 2))) continue
    } else if (character === '.' || character === '…') {
      if (skipEllipsis(cursor)) continue
    }
    return character === '`' && text.startsWith('```', cursor.at) ? '' : character
  }
}
