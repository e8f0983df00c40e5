import { type Cursor, dropText, fix, matchAt, warn, within } from './cursor.ts'
import { readMembers } from './object.ts'
import { isQuote } from './quote.ts'
import { peek } from './space.ts'
import { findStart, firstStart, type Start } from './start.ts'
import { readValue } from './value.ts'
import type { JsonValue } from './word.ts'

const begin = (cursor: Cursor, start: Start): JsonValue => {
  const between = cursor.text.slice(cursor.at, start.at)
  if (start.around === 'code-fence') {
    fix(cursor, 'code-fence', cursor.text.lastIndexOf('```', start.at))
    if (!between.trimStart().startsWith('```'))
      dropText(cursor, 'text-before', between.slice(0, between.lastIndexOf('```')))
  } else if (start.around) fix(cursor, start.around)
  else if (between !== '') dropText(cursor, 'text-before', between)
  cursor.fenced = start.around === 'code-fence'
  cursor.at = start.at
  if (start.kind === 'value') return readValue(cursor, 'document')
  return within(cursor, '{', () => readMembers(cursor, readValue))
}

/** Moves past what may stand between two values at the top and reports whether a comma or a line break was there. */
const skipBetween = (cursor: Cursor, wrapped: boolean): boolean => {
  let separated = false
  for (;;) {
    const from = cursor.at
    const character = peek(cursor)
    separated ||= cursor.text.slice(from, cursor.at).includes('\n')
    if (character === '' || !',;)]}'.includes(character)) return separated
    if (character === ',') separated = true
    if ('}]'.includes(character)) fix(cursor, 'extra-bracket')
    if (character === ')' && !wrapped) fix(cursor, 'extra-bracket')
    cursor.at++
  }
}

/** An object that was closed too early goes on with `, "key":`. */
const goOn = (cursor: Cursor, value: JsonValue): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const rest = matchAt(cursor, /[}\s]{0,16},\s{0,64}(?="[^"\n]{0,64}"\s{0,8}(?::|"[^"\n]{0,64}"\s{0,8}\}))/y)
  if (rest === undefined) return false
  fix(cursor, 'extra-bracket', Math.max(0, cursor.at - 1))
  cursor.at += rest.length
  within(cursor, '{', () => readMembers(cursor, readValue, '}', value))
  return true
}

const isScalar = (value: JsonValue | undefined) => typeof value !== 'object' || value === null

const nextStart = (cursor: Cursor, separated: boolean, last: JsonValue | undefined): Start | undefined => {
  const character = cursor.text[cursor.at] ?? ''
  const here: Start = { at: cursor.at, kind: 'value' }
  if (character === '{') return here
  if (separated && (character === '[' || (isScalar(last) && (isQuote(character) || /[-\w]/.test(character)))))
    return here
  return findStart(cursor, cursor.at)
}

const textAfter = (cursor: Cursor): void => {
  const rest = cursor.text.slice(cursor.at).trim()
  if (rest === '' || (cursor.fenced && rest === '```')) return
  // Prose begins with neither a quote nor a bracket: values were dropped.
  if (/^["'\]}]/.test(rest)) fix(cursor, 'unexpected-character')
  dropText(cursor, 'text-after', rest)
}

/** Reads all JSON values in the text; more than one become an array. `undefined` when there is none. */
export const readDocuments = (cursor: Cursor): JsonValue | undefined => {
  if (cursor.text.startsWith('\ufeff')) {
    fix(cursor, 'byte-order-mark')
    cursor.at++
  }
  const start = firstStart(cursor, peek(cursor))
  if (!start) {
    warn(cursor, cursor.text.trim() === '' ? 'empty' : 'no_json', 0, '')
    return undefined
  }
  const wrapped = start.around !== undefined
  const values = [begin(cursor, start)]
  let second = 0
  for (;;) {
    while (goOn(cursor, values.at(-1) ?? null));
    const separated = skipBetween(cursor, wrapped)
    if (start.around === 'quoted-json' && isQuote(cursor.text[cursor.at])) cursor.at++
    if (cursor.at >= cursor.text.length) break
    const next = nextStart(cursor, separated, values.at(-1))
    if (!next) {
      textAfter(cursor)
      break
    }
    if (values.length === 1) second = next.at
    values.push(begin(cursor, next))
  }
  if (values.length === 1) return values[0]
  fix(cursor, 'several-documents', second)
  return values
}
