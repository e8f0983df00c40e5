import { type Cursor, fix, matchAt } from './cursor.ts'
import { isQuote, startsKey } from './quote.ts'
import { afterBlank, peek } from './space.ts'
import { readString } from './string.ts'
import { skipPrefix } from './word.ts'

/**
 * A key whose closing quote is missing right before the colon: `{"a: 1, "b": 2}`, `{"a: [1]}`, `{"a:x}`. The value must end
 * where another key or the end of the object follows, or the colon belongs to the key.
 */
const unclosedKey =
  /"[\p{L}_$][\p{L}\p{N}_$ -]{0,60}(?=:\s{0,8}(?:[^"'\n{}[\],:]{1,200}|\[[^"'\n{}[\]]{0,200}\]|\{[^"'\n{}[\]]{0,200}\})(?:\}[\s}\]]{0,64}$|\s{0,8},\s{0,8}"[^"\n:\s][^"\n]{0,63}"\s{0,8}:))/uy

/** A key that was not closed took its colon, and ended at the quote that opens its value. */
const readQuotedKey = (cursor: Cursor): string => {
  const { at: begin, text } = cursor
  const unclosed = matchAt(cursor, unclosedKey)
  if (unclosed !== undefined) {
    fix(cursor, 'unclosed-string')
    cursor.at += unclosed.length
    return unclosed.slice(1)
  }
  const key = readString(cursor, 'key')
  const end = cursor.at
  if (!/:[ \t]{0,8}$/.test(key.slice(-9)) || !isQuote(text[end - 1]) || peek(cursor) === ':') return key
  if (',}]'.includes(text[cursor.at] ?? ',')) return key
  fix(cursor, 'unclosed-string', begin)
  cursor.at = end - 1
  return key.replace(/:[ \t]{0,8}$/, '')
}

/** Up to a separator, or to a quote after a space; what is longer is cut. */
const bareKey = /[^:=,{}[\]\n\r]{1,1000}?(?=\s["'“‘`]|[:=,{}[\]\n\r]|$)/y
const longKey = /[^:=,{}[\]\n\r]{1,1000}/y

/** A key without quotes. Words before a quoted key are dropped; before another quote they are a key without its colon. */
const readBareKey = (cursor: Cursor): string | undefined => {
  const key = matchAt(cursor, bareKey) ?? matchAt(cursor, longKey)
  const text = key?.trimEnd()
  if (key === undefined || !text) return undefined
  const quote = afterBlank(cursor, cursor.at + key.length)
  if (startsKey(cursor, quote)) {
    fix(cursor, 'stray-text')
    cursor.at = quote
    return readQuotedKey(cursor)
  }
  fix(cursor, 'unquoted-key')
  cursor.at += text.length
  return text.replace(/["'”’`]$/, '')
}

/** Reads the key at the cursor; undefined when none begins there. */
export const readKey = (cursor: Cursor, character: string): string | undefined =>
  isQuote(character) || skipPrefix(cursor) ? readQuotedKey(cursor) : readBareKey(cursor)
