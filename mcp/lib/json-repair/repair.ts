import { type Cursor, cursorOver, fix, type Noted, warn } from './cursor.ts'
import { readDocuments } from './document.ts'
import { escapedStart, unescapeFrom } from './escaped.ts'
import { confidenceOf, type FixType, losesData, messageOf } from './fix.ts'
import { type Place, placesOf } from './place.ts'
import { lossy, sentenceOf, type Warning } from './warning.ts'
import type { Json } from './word.ts'

export type Repaired = {
  valid: boolean
  repaired: boolean
  result: Json
  /** The result as JSON text: the input itself when it was valid. Null when there is no result. */
  json: string | null
  fixes: (Place & { type: FixType; message: string })[]
  fixCount: number
  confidence: number
  dataLoss: boolean
  warnings: (Place & { code: Warning; message: string })[]
  warningCount: number
  /** Characters looked at, a constant times the length of the text at most. */
  steps: number
}

const parse = (text: string): { value: Json } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

type Reading = { cursor: Cursor; value: Json | undefined; original(offset: number): number }

/** Reads with the lenient reader alone. Never throws, whatever the text. */
export const read = (text: string): Reading => {
  const start = escapedStart(text)
  if (start === undefined) {
    const cursor = cursorOver(text)
    return { cursor, value: readDocuments(cursor), original: offset => offset }
  }
  const unescaped = unescapeFrom(text, start)
  const cursor = cursorOver(unescaped.text)
  fix(cursor, 'escaped-json', start)
  return {
    cursor,
    value: readDocuments(cursor),
    original: offset => unescaped.offsets[offset] ?? text.length,
  }
}

const located = <T>(text: string, noted: readonly Noted<T>[], original: Reading['original']) => {
  const sorted = noted
    .map(note => ({ ...note, offset: original(note.offset) }))
    .sort((a, b) => a.offset - b.offset)
  const places = placesOf(
    text,
    sorted.map(({ offset }) => offset),
  )
  return sorted.map((note, index) => ({ note, place: places[index] ?? { offset: 0, line: 1, column: 1 } }))
}

const holdsJson = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^\s*[{[]/.test(value) && parse(value) !== undefined

/** Where `repair` can be found by a worker. */
export const module = import.meta.url

/** Reads JSON as people and models write it, in one pass. What is valid is left as it is, with no fix. */
export const repair = (text: string): Repaired => {
  const strict = parse(text)
  const { cursor, value, original } = read(text)
  const changed = cursor.warnings.some(({ type }) => type === 'out_of_range')
  const whole = strict !== undefined && !cursor.fixTypes.has('too-deep')
  const result = whole && !changed ? strict.value : (value ?? null)
  if (holdsJson(result)) warn(cursor, 'nested_json', 0, '')
  const fixes = whole ? [] : cursor.fixes
  const found = value !== undefined
  return {
    valid: strict !== undefined,
    repaired: !whole && found,
    result,
    json: jsonOf(text, whole, found, result),
    fixes: located(text, fixes, original).map(({ note: { type }, place }) => ({
      type,
      message: messageOf(type),
      ...place,
    })),
    fixCount: whole ? 0 : cursor.fixCount,
    confidence: trust(cursor, whole, found),
    dataLoss:
      (!whole && [...cursor.fixTypes].some(losesData)) ||
      cursor.warnings.some(({ type }) => lossy.includes(type)),
    warnings: located(text, cursor.warnings, original).map(({ note: { type, detail }, place }) => ({
      code: type,
      message: sentenceOf(type, detail),
      ...place,
    })),
    warningCount: cursor.warningCount,
    steps: cursor.steps,
  }
}

const trust = (cursor: Cursor, whole: boolean, found: boolean): number => {
  if (whole) return 1
  return found ? confidenceOf(cursor.fixTypes) : 0
}

const jsonOf = (text: string, whole: boolean, found: boolean, result: Json): string | null => {
  if (whole) return text
  return found ? JSON.stringify(result) : null
}
