import { type Cursor, fix, matchAt, warn } from './cursor.ts'

const strict = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const lenient =
  /[+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d*)?)n?/y
const words = /[ \t]{1,8}[\p{L}_$][\p{L}\d_$]{0,63}(?![\p{L}\d_$])(?!\s{0,8}[:=])/uy
const literals = /[ \t]{1,8}(?:true|false|null|None|True|False)\b/y

const ends = (cursor: Cursor, offset: number): boolean => {
  const character = cursor.text[offset]
  if (character === undefined) return true
  if (!' \t\r\n,}]{[/:#;)"\'`'.includes(character)) return false
  return character !== '/' || '/*'.includes(cursor.text[offset + 1] ?? ' ')
}

/** True when words follow on the same line that belong to what was read, as in "12 apples". */
export const wordsFollow = (cursor: Cursor, offset: number): boolean =>
  (cursor.text[offset] === ' ' || cursor.text[offset] === '\t') &&
  matchAt(cursor, literals, offset) === undefined &&
  matchAt(cursor, words, offset) !== undefined

/** The number, or null where a JSON number cannot hold it; digits that get lost are warned of. */
const finite = (cursor: Cursor, value: number, text: string, offset: number): number | null => {
  if (!Number.isFinite(value)) {
    warn(cursor, 'out_of_range', offset, text)
    return null
  }
  const whole = /^-?\d{16,}$/.test(text)
  if (whole && !Number.isSafeInteger(value) && !isExact(value, text)) warn(cursor, 'precision', offset, text)
  return value
}

/** Reading very long digits as BigInt is quadratic, and no such number is exact but by chance. */
const isExact = (value: number, text: string): boolean => text.length < 400 && BigInt(value) === BigInt(text)

const parseLenient = (text: string): number => {
  const plain = text.replace(/_|n$/g, '').replace(/^\+/, '')
  const negative = plain.startsWith('-')
  const body = plain.replace(/^-/, '')
  const value = /^0[xbo]/i.test(body) ? Number(body) : Number.parseFloat(body)
  return negative ? -value : value
}

/** A quote right after a number or a literal, which opens nothing because a separator follows. */
const strayQuote = /["'](?=\s{0,8}(?:[,}\]]|$))/y

export const skipStrayQuote = (cursor: Cursor): void => {
  if (matchAt(cursor, strayQuote) === undefined) return
  fix(cursor, 'stray-quote')
  cursor.at++
}

/** Digits after a leading zero are a code such as a postcode or an account: as a number they would lose it. */
const isCode = (text: string): boolean => /^[+-]?0\d/.test(text)

/**
 * Reads a number at the cursor; undefined when what is there is no number but text such as 2024-01-05, 1.2.3 or 0789.
 */
export const readJsonNumber = (cursor: Cursor): number | null | undefined => {
  const { at, text } = cursor
  const exact = matchAt(cursor, strict)
  if (exact && ends(cursor, at + exact.length) && !wordsFollow(cursor, at + exact.length)) {
    cursor.at += exact.length
    skipStrayQuote(cursor)
    return finite(cursor, Number(exact), exact, at)
  }
  const match = matchAt(cursor, lenient)
  if (match && !isCode(match) && ends(cursor, at + match.length) && !wordsFollow(cursor, at + match.length)) {
    cursor.at += match.length
    skipStrayQuote(cursor)
    fix(cursor, cursor.at === text.length && /[.eE+-]$/.test(match) ? 'cut-short' : 'number-format', at)
    return finite(cursor, parseLenient(match), match, at)
  }
  const sign = text[at] === '-' && at + 1 === text.length
  if (!sign) return undefined
  cursor.at++
  fix(cursor, 'cut-short', at)
  return null
}
