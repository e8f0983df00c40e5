import { type Cursor, fix, matchAt } from './cursor.ts'
import { endsString, opensNext, type StringRole } from './ending.ts'
import { readEscape } from './escape.ts'
import { closingQuotes, isQuote } from './quote.ts'
import { peek } from './space.ts'

const stops = new Map<string, RegExp>()

/** Finds what needs a decision: a closing quote, a backslash or a control character. */
const stopFor = (closers: string): RegExp => {
  const cachedStops = stops.get(closers)
  if (cachedStops) return cachedStops
  const pattern = new RegExp(`[\\\\\\u0000-\\u001f${closers}]`, 'g')
  stops.set(closers, pattern)
  return pattern
}

const next = (cursor: Cursor, pattern: RegExp): number => {
  pattern.lastIndex = cursor.at
  const at = pattern.exec(cursor.text)?.index ?? cursor.text.length
  cursor.steps += at - cursor.at + 1
  return at
}

/** A line that holds nothing but the end of the code fence around the JSON. */
const fenceEnds = (cursor: Cursor): boolean =>
  cursor.fenced &&
  cursor.text.startsWith('\n```', cursor.at) &&
  '\r\n'.includes(cursor.text[cursor.at + 4] ?? '\n')

/**
 * A string without a closing quote took the brackets that close what is open around it; they are given back. Returns where
 * the string ends between `start` and `stop`.
 */
const giveBackClosers = (cursor: Cursor, start: number, stop: number): number => {
  const expected = cursor.open.closers.toReversed()
  const places: number[] = []
  for (let at = stop - 1; at >= start && places.length < expected.length; at--) {
    cursor.steps++
    const character = cursor.text[at] ?? ''
    if ('}])'.includes(character)) places.unshift(at)
    else if (!' \t\r\n`'.includes(character)) break
  }
  let nth = 0
  for (const closer of expected) if (closer === cursor.text[places[nth] ?? stop]) nth++
  return nth === places.length ? (places[0] ?? stop) : stop
}

const trimEnd = (value: string): string => value.replace(/[\s,]{1,64}$/, '')

const doubledKey = /(["'])\1(?=\s?[\p{L}\p{N}_])[^"'\n]{1,128}\1{1,2}\s{0,8}:/uy
const doubledValue = /(["'])\1(?=[\p{L}\p{N}_])[^"'\n]{1,128}\1{1,2}\s{0,8}(?:[,}\]]|$)/uy

/** True when the quote at the cursor is written twice, as in ""text"" or ""text". */
const isDoubled = (cursor: Cursor, role: StringRole): boolean =>
  cursor.text[cursor.at] === cursor.text[cursor.at + 1] &&
  matchAt(cursor, role === 'key' ? doubledKey : doubledValue) !== undefined

/**
 * A quote within a string that stands as the start of a value does, after a colon, comma or opening bracket, or as the end of
 * one, before a closing bracket.
 */
const structuralQuote = /(?:[\p{L}\p{N}_$"'][ \t]{0,8}:|[,[{])[ \t]{0,8}$/u
const closingBracket = /[ \t]{0,8}[\]}]/y

const isStructural = (cursor: Cursor, quote: number): boolean =>
  structuralQuote.test(cursor.text.slice(Math.max(0, quote - 24), quote)) ||
  matchAt(cursor, closingBracket, quote + 1) !== undefined

/** A comma or colon as between values: text without its closing quote may have swallowed them. */
const separator = /[,:]\s|[\p{L}\p{N}"']:["'\p{L}\p{N}]|,["'\p{L}\p{N}]/u

/** Reads a quoted string whose opening quote is at the cursor. */
const readQuoted = (cursor: Cursor, role: StringRole): string => {
  const { text } = cursor
  const opening = text[cursor.at] ?? '"'
  const begin = cursor.at
  const closers = closingQuotes(opening)
  const pattern = stopFor(closers)
  if (opening !== '"') fix(cursor, 'quotes')
  const pairs = isDoubled(cursor, role)
  if (pairs) fix(cursor, 'stray-quote')
  cursor.at += pairs ? 2 : 1
  let value = ''
  for (;;) {
    const at = next(cursor, pattern)
    value += text.slice(cursor.at, at)
    cursor.at = at
    const character = text[at]
    if (character === undefined || fenceEnds(cursor)) {
      fix(cursor, 'unclosed-string', begin)
      const end = giveBackClosers(cursor, begin + 1, at)
      if (end === at) fix(cursor, 'cut-short')
      else if (separator.test(value)) fix(cursor, 'swallowed-structure', begin)
      cursor.at = end
      return end === at ? value : trimEnd(value.slice(0, value.length - (at - end)))
    }
    if (character === '\\') {
      if (at + 1 === text.length) cursor.at++
      else value += readEscape(cursor)
      continue
    }
    if (closers.includes(character)) {
      if (pairs) {
        cursor.at += text[at + 1] === character ? 2 : 1
        return value
      }
      if (endsString(cursor, at, role, closers)) {
        cursor.at++
        return value
      }
      const gap = opensNext(cursor, at, role)
      if (gap !== undefined) {
        fix(cursor, 'unclosed-string', begin)
        cursor.at -= gap
        return trimEnd(value.slice(0, value.length - gap))
      }
      fix(cursor, 'unescaped-quote')
      if (isStructural(cursor, at)) fix(cursor, 'swallowed-structure', at)
    } else fix(cursor, character === '\n' ? 'unescaped-newline' : 'control-character')
    value += character
    cursor.at++
  }
}

/** Reads a Python string between three quotes; undefined when there is none at the cursor. */
const readTriple = (cursor: Cursor): string | undefined => {
  const { text, at } = cursor
  const mark = text.slice(at, at + 3)
  if (mark !== '"""' && mark !== "'''") return undefined
  const end = cursor.noTriple.includes(mark) ? -1 : text.indexOf(mark, at + 3)
  if (end < 0) {
    cursor.noTriple += mark
    return undefined
  }
  cursor.steps += end - at
  fix(cursor, 'quotes')
  cursor.at = end + 3
  return text.slice(at + 3, end)
}

/** Reads a string, and further ones that `+` joins to it. */
export const readString = (cursor: Cursor, role: StringRole): string => {
  let value = readTriple(cursor) ?? readQuoted(cursor, role)
  while (role !== 'key' && peek(cursor) === '+') {
    const plus = cursor.at
    cursor.at++
    const joins = isQuote(peek(cursor))
    fix(cursor, joins ? 'string-concatenation' : 'unexpected-character', plus)
    if (!joins) return value
    value += readTriple(cursor) ?? readQuoted(cursor, role)
  }
  return value
}
