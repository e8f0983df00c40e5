import type { Cursor } from './cursor.ts'

/** Opening quotes with all that may close them. */
const pairs: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': "`´'",
  '´': '`´',
  '“': '”“"',
  '”': '”“"',
  '„': '”“"',
  '‟': '”“"',
  '«': '»',
  '‘': "’‘'",
  '’': "’‘'",
  '‚': "’‘'",
}

export const isQuote = (character: string | undefined): boolean =>
  character !== undefined && pairs[character] !== undefined

export const closingQuotes = (quote: string): string => pairs[quote] ?? quote

/** How far a decision about one quote looks ahead; keeps the whole reading linear. */
const reach = 128

/**
 * Whether a quoted key with its colon starts at `offset`; undefined when the text ends or the key is too long to tell.
 */
export const startsKey = (cursor: Cursor, offset: number): boolean | undefined => {
  const { text } = cursor
  const quote = text[offset]
  if (quote === undefined || !isQuote(quote)) return false
  const closers = closingQuotes(quote)
  const last = Math.min(text.length, offset + reach)
  let at = offset + 1
  while (at < last) {
    const character = text[at]
    if (character === undefined || character === '\n') return false
    if (closers.includes(character)) break
    at += character === '\\' ? 2 : 1
  }
  cursor.steps += at - offset
  if (at >= last) return undefined
  at++
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '') && at < last + reach) at++
  return at >= text.length ? undefined : text[at] === ':' || text[at] === '='
}

/** The first of some characters within reach of `offset`; empty when there is none. */
export const findFirst = (cursor: Cursor, characters: string, offset: number): string => {
  const last = Math.min(cursor.text.length, offset + reach)
  for (let at = offset; at < last; at++) {
    cursor.steps++
    const character = cursor.text[at] ?? ''
    if (characters.includes(character)) return character
  }
  return ''
}
