import { type Cursor, cursorOver, fix, type RepairNote, warn } from './cursor.ts'
import { readDocuments } from './document.ts'
import { computeConfidence, type FixType, fixMessage, losesData } from './fix.ts'
import { lossy, type Warning, warningText } from './warning.ts'
import type { JsonValue } from './word.ts'

const meaning: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** Finds the start of JSON with escaped quotes, as when a string's inside was pasted; else undefined. */
const escapedStart = (text: string): number | undefined => {
  if (!text.includes('\\"')) return undefined
  const string = /^\s{0,64}(?=\\")/.exec(text)
  if (string) return string[0].length
  const match = /[{[](?:\s|\\[ntr]|[{[]){0,64}\\"/.exec(text)
  return match && !text.slice(0, match.index).includes('"') ? match.index : undefined
}

/** Undoes one level of escapes from `start` on; `offsets` maps each place of the new text to the old one. */
const unescapeFrom = (text: string, start: number): { text: string; offsets: Uint32Array } => {
  const offsets = new Uint32Array(text.length + 1)
  for (let at = 0; at < start; at++) offsets[at] = at
  const parts = [text.slice(0, start)]
  let length = start
  const pattern = /\\([\s\S])|[^\\]+|\\/g
  pattern.lastIndex = start
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const letter = match[1]
    const keep = letter === 'u' || letter === undefined
    const part = keep ? match[0] : (meaning[letter] ?? letter)
    for (let at = 0; at < part.length; at++) offsets[length + at] = match.index + at
    length += part.length
    parts.push(part)
  }
  offsets[length] = text.length
  return { text: parts.join(''), offsets: offsets.subarray(0, length + 1) }
}

type TextPlace = { offset: number; line: number; column: number }

/** Lines and columns, both from 1, of offsets in ascending order, in one pass over the text. */
const toPlaces = (text: string, offsets: readonly number[]): TextPlace[] => {
  let line = 1
  let begin = 0
  let next = text.indexOf('\n')
  return offsets.map(offset => {
    while (next >= 0 && next < offset) {
      line++
      begin = next + 1
      next = text.indexOf('\n', begin)
    }
    return { offset, line, column: offset - begin + 1 }
  })
}

export type Repair = {
  valid: boolean
  repaired: boolean
  result: JsonValue
  /** The result as JSON text: the input itself when it was valid. Null when there is no result. */
  json: string | null
  fixes: (TextPlace & { type: FixType; message: string })[]
  fix_count: number
  confidence: number
  data_loss: boolean
  warnings: (TextPlace & { code: Warning; message: string })[]
  warning_count: number
  /** Characters looked at, a constant times the length of the text at most. */
  steps: number
}

const parse = (text: string): { value: JsonValue } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

type Reading = { cursor: Cursor; value: JsonValue | undefined; original(offset: number): number }

/** Reads with the lenient reader alone. Never throws, whatever the text. */
export const parseLenientJson = (text: string): Reading => {
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

const toLocated = <T>(text: string, notes: readonly RepairNote<T>[], original: Reading['original']) => {
  const sorted = notes
    .map(note => ({ ...note, offset: original(note.offset) }))
    .sort((a, b) => a.offset - b.offset)
  const places = toPlaces(
    text,
    sorted.map(({ offset }) => offset),
  )
  return sorted.map((note, index) => ({ note, place: places[index] ?? { offset: 0, line: 1, column: 1 } }))
}

const holdsJson = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && /^\s*[{[]/.test(value) && parse(value) !== undefined

/** Address of `repair` for a worker. */
export const module = import.meta.url

/** Reads JSON as people and models write it, in one pass. What is valid is left as it is, with no fix. */
export const repair = (text: string): Repair => {
  const strict = parse(text)
  const { cursor, value, original } = parseLenientJson(text)
  const changed = cursor.warnings.some(({ type }) => type === 'out_of_range')
  const whole = strict !== undefined && !cursor.fixTypes.has('too-deep')
  const result = whole && !changed ? strict.value : (value ?? null)
  if (holdsJson(result)) warn(cursor, 'nested_json', 0, '')
  const fixes = whole ? [] : cursor.fixes
  const hasValue = value !== undefined
  return {
    valid: strict !== undefined,
    repaired: !whole && hasValue,
    result,
    json: toJson(text, whole, hasValue, result),
    fixes: toLocated(text, fixes, original).map(({ note: { type }, place }) => ({
      type,
      message: fixMessage(type),
      ...place,
    })),
    fix_count: whole ? 0 : cursor.fix_count,
    confidence: trust(cursor, whole, hasValue),
    data_loss:
      (!whole && (cursor.dropsText || [...cursor.fixTypes].some(losesData))) ||
      cursor.warnings.some(({ type }) => lossy.includes(type)),
    warnings: toLocated(text, cursor.warnings, original).map(({ note: { type, detail }, place }) => ({
      code: type,
      message: warningText(type, detail),
      ...place,
    })),
    warning_count: cursor.warning_count,
    steps: cursor.steps,
  }
}

const trust = (cursor: Cursor, whole: boolean, hasValue: boolean): number => {
  if (whole) return 1
  return hasValue ? computeConfidence(cursor.fixTypes) : 0
}

const toJson = (text: string, whole: boolean, hasValue: boolean, result: JsonValue): string | null => {
  if (whole) return text
  return hasValue ? JSON.stringify(result) : null
}
