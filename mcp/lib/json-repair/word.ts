import { type Cursor, fix, matchAt, within } from './cursor.ts'
import type { StringRole } from './ending.ts'
import { skipStrayQuote, wordsFollow } from './number.ts'
import { isQuote } from './quote.ts'
import { peek } from './space.ts'

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** Reads the value at the cursor. */
export type Reader = (cursor: Cursor, role: StringRole) => JsonValue

/** Literals of JSON and of other languages, by lower case. */
const literals: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
  none: null,
  undefined: null,
  nil: null,
  nan: null,
  infinity: null,
  '-infinity': null,
  '+infinity': null,
}

const name = /(?:new[ \t]{1,8})?[A-Za-z_$][\w$.]{0,127}/y
const signedInfinity = /[+-](?:Infinity|NaN)\b/y
const callable =
  /^(?:new\s+)?(?:ObjectId|ISODate|Number(?:Long|Int|Decimal)?|UUID|Date|Decimal|Timestamp|Symbol|String|Boolean|BigInt|Int\d+|Long|list|set|frozenset|OrderedDict|Map|Set)$/

/** True when a call whose argument stands for it begins at the cursor, such as ObjectId("…"). */
export const isCallable = (cursor: Cursor): boolean => callable.test(matchAt(cursor, name) ?? '')

const literalAt = (cursor: Cursor): { text: string; value: boolean | null } | undefined => {
  const text = matchAt(cursor, signedInfinity) ?? matchAt(cursor, name)
  const value = text === undefined ? undefined : literals[text.toLowerCase()]
  if (text === undefined || value === undefined) return undefined
  const end = cursor.at + text.length
  if (!' \t\r\n,}]/:#;)"[{'.includes(cursor.text[end] ?? ' ') || wordsFollow(cursor, end)) return undefined
  return { text, value }
}

/** Reads true, false, null and what other languages write for them. */
const readLiteral = (cursor: Cursor): { value: JsonValue } | undefined => {
  const literal = literalAt(cursor)
  if (!literal) return undefined
  const { text, value } = literal
  const isJsonLiteral = text === 'true' || text === 'false' || text === 'null'
  if (!isJsonLiteral) fix(cursor, /nan|infinity/i.test(text) ? 'not-a-number' : 'keyword')
  cursor.at += text.length
  skipStrayQuote(cursor)
  return { value }
}

/** A literal that the end of the text cut: `tru`, `nul`. */
const readCutLiteral = (cursor: Cursor): { value: JsonValue } | undefined => {
  const rest = cursor.text.length - cursor.at
  if (rest === 0 || rest > 4) return undefined
  const text = cursor.text.slice(cursor.at)
  const whole = ['true', 'false', 'null'].find(word => word.startsWith(text))
  if (!whole) return undefined
  fix(cursor, 'cut-short')
  cursor.at += rest
  return { value: literals[whole] ?? null }
}

/** A call whose one argument stands for it, such as ObjectId("…"); other calls stay text. */
const readCall = (cursor: Cursor, readValue: () => JsonValue): { value: JsonValue } | undefined => {
  const callee = matchAt(cursor, name)
  if (!callee || !callable.test(callee) || cursor.text[cursor.at + callee.length] !== '(') return undefined
  const oneArgument = matchAt(
    cursor,
    /\(\s{0,8}(?:["'{[(]|-?[\d.]{1,40}\s{0,8}\))/y,
    cursor.at + callee.length,
  )
  if (!oneArgument) return undefined
  fix(cursor, 'function-call')
  cursor.at += callee.length + 1
  return within(cursor, '(', () => {
    const value = readValue()
    if (peek(cursor) === ')') cursor.at++
    return { value }
  })
}

/** Moves past a prefix such as the u of u"text" when a string follows it. */
export const skipPrefix = (cursor: Cursor): boolean => {
  const prefix = matchAt(cursor, /[bBuUrRfF]{1,2}(?=["'](?!\s{0,8}(?:[,\]}:]|$)))/y)
  if (!prefix) return false
  fix(cursor, 'string-prefix')
  cursor.at += prefix.length
  return true
}

/** Text that lost its opening quote only still has its escapes. */
const unquote = (text: string): string => {
  const plain = text.replace(/["'”’`;]$/, '')
  if (!text.endsWith('"') || !text.includes('\\')) return plain
  try {
    return String(JSON.parse(`"${text}`))
  } catch {
    return plain
  }
}

/** Braces right after a word belong to its text, as in `words{in braces}more`. */
const attachedBracesPattern = /(?<=[\p{L}\p{N}_$])\{[^{}"'\n:,]{1,128}\}/uy

/** Text without quotes, up to what separates values or the end of the line. */
const readText = (cursor: Cursor): { value: JsonValue } | undefined => {
  const { text, at: begin, open } = cursor
  let at = begin
  let rounds = 0
  for (; at < text.length; at++) {
    const character = text[at] ?? ''
    if (',}]\n\r['.includes(character) && !(character === ',' && rounds > 0)) break
    if (character === '{') {
      const inside = at > begin ? matchAt(cursor, attachedBracesPattern, at) : undefined
      if (inside === undefined) break
      at += inside.length - 1
      continue
    }
    if (character === '(') rounds++
    if (character === ')' && rounds-- === 0 && open.rounds > 0) break
    const spaced = at > begin && ' \t'.includes(text[at - 1] ?? '')
    if (spaced && (isQuote(character) || character === '#' || text.startsWith('//', at))) break
    if (text.startsWith('/*', at) || text.startsWith('```', at)) break
  }
  cursor.steps += at - begin
  const word = text.slice(begin, at).trimEnd()
  if (word === '') return undefined
  fix(cursor, 'unquoted-string', begin)
  cursor.at = begin + word.length
  return { value: unquote(word) }
}

/** Reads a value that has no quotes or brackets and is no number; undefined when nothing can be read. */
export const readWord = (cursor: Cursor, readValue: () => JsonValue): { value: JsonValue } | undefined =>
  readLiteral(cursor) ??
  readCutLiteral(cursor) ??
  (skipPrefix(cursor) ? { value: readValue() } : undefined) ??
  readCall(cursor, readValue) ??
  readText(cursor)
