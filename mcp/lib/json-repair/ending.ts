import { type Cursor, matchAt } from './cursor.ts'
import { findFirst, isQuote, startsKey } from './quote.ts'
import { afterBlank } from './space.ts'

/** Role of the string: a key, the value of a member, an element of an array, or a whole document. */
export type StringRole = 'key' | 'member' | 'element' | 'document'

const literal = /(?:-?\d[\d.eE+-]{0,40}|true|false|null|None|True|False)\s{0,8}(?:[,}\]]|$)/y
const bareKey =
  /(?:[A-Za-z_$][\w$-]{0,64}["'”’]?\s{0,8}[:=]|[A-Za-z_$][\w$ -]{0,64}["'”’]\s{0,8}[:=]|\d{1,20}\s{0,8}:\s{0,8}["'[{\d]|[A-Za-z_][\w ]{0,40}\s"[^"\n]{1,64}"\s{0,8}:)/y

/** A short key whose value follows at once, without a colon. */
const keyWithoutColon = /"[\p{L}_$][\p{L}\p{N}_$ -]{0,40}"["[{]/uy

/** `"hi"",`: the first of two quotes belongs to the text, the second one closes the string. */
const quoteBeforeLast = /(["'])\1\s{0,64}(?:[,}\]]|$)/y

const brokeLine = ({ text }: Cursor, from: number, to: number): boolean => text.slice(from, to).includes('\n')

/** `"k"e"y":` holds quotes of its own. */
const quotesInKey = /(?:[\p{L}\p{N}][^"\n:,{}[\]]{0,64}"){2,3}[ \t]{0,8}:/uy

const endsKey = (cursor: Cursor, quote: number, next: number): boolean => {
  if (':=,}'.includes(cursor.text[next] ?? ':')) return true
  const rest = matchAt(cursor, /[^"\n:,{}[\]]{0,64}"[ \t]{0,8}:/y, quote + 1)
  return rest === undefined && matchAt(cursor, quotesInKey, quote + 1) === undefined
}

/** A list without a key in place of the next member. */
const listOnly = /\[\s{0,8}"[^"\n]{0,64}"\s{0,8}[,\]]/y

const endsBeforeComma = (cursor: Cursor, comma: number, role: StringRole, closers: string): boolean => {
  const next = afterBlank(cursor, comma + 1)
  const character = cursor.text[next]
  if (character === undefined || '}]/#.`'.includes(character)) return true
  if (brokeLine(cursor, comma, next)) return true
  if (role === 'member') {
    if (isQuote(character))
      return startsKey(cursor, next) !== false || matchAt(cursor, keyWithoutColon, next) !== undefined
    if (character === '[' && matchAt(cursor, listOnly, next) !== undefined) return true
    const key = matchAt(cursor, bareKey, next)
    return key !== undefined || character === ',' || !findFirst(cursor, `\n${closers}`, next)
  }
  if (isQuote(character) || '-+{[(,'.includes(character) || (character >= '0' && character <= '9'))
    return true
  if (matchAt(cursor, literal, next)) return true
  return !closers.includes(findFirst(cursor, `,]\n${closers}`, next) || '\n')
}

/** `"} here",` goes on with the text of the string: the bracket belongs to it. */
const textAfterBracket = /[}\]][ \t]{0,8}\p{L}[^"'”’\n{}[\]]{0,64}["'”’]\s{0,8}[,}\]]/uy

/** `"]", "b"`: a quote after the bracket closes the string that the bracket belongs to. */
const quoteAfterBracket = /[}\]]["'”’][ \t]{0,4},[ \t]{0,8}["'“‘[{\d]/uy

/** Text with an inner quote that ends in a bracket: `no}" he said",`, `[hi]" now",`. */
const bracketInQuotes = /[^"'”’\n}\]]{0,64}[}\]]["'”’][ \t]{0,8}\p{L}[^"'”’\n]{0,64}["'”’]\s{0,8}[,}\]]/uy

const endsBeforeCloser = (cursor: Cursor, closer: number): boolean =>
  matchAt(cursor, textAfterBracket, closer) === undefined &&
  matchAt(cursor, quoteAfterBracket, closer) === undefined

/** The end of a sentence up to the bracket: it belongs to the string, which was not closed. */
const sentenceEnd = /\p{L}[^"'\n:{}[\]]{0,128}[.!?…]\s{0,8}(?=[}\]])/uy

/** `"two" ", "three"`: the first quote belongs to the text, as the second one closes it. */
const quoteBeforeGap = /"[ \t]{1,4}"[ \t]{0,4},[ \t]{0,4}"[\p{L}\p{N}]/uy

const endsBeforeText = (cursor: Cursor, next: number, role: StringRole, closers: string): boolean => {
  const gap = ' \t'.includes(cursor.text[next - 1] ?? '')
  if (role === 'member' && matchAt(cursor, sentenceEnd, next) !== undefined) return false
  if (matchAt(cursor, bracketInQuotes, next) !== undefined) return false
  if (role === 'element' && gap && matchAt(cursor, literal, next)) return true
  return '}]'.includes(findFirst(cursor, `}]${closers}`, next) || '"') && role !== 'document'
}

/** Like `startsKey`; a key that the end of the text cuts counts when it starts like one. */
const startsNextKey = (cursor: Cursor, quote: number): boolean =>
  startsKey(cursor, quote) ?? /[\p{L}\d_$]/u.test(cursor.text[quote + 1] ?? '')

/** Decides whether the quote at `quote` closes its string or belongs to its text, by what follows within a short reach. */
export const endsString = (cursor: Cursor, quote: number, role: StringRole, closers: string): boolean => {
  const { text } = cursor
  const next = afterBlank(cursor, quote + 1)
  const character = text[next]
  if (character === undefined) return true
  if (next === quote + 1 && matchAt(cursor, quoteBeforeLast, quote) !== undefined) return false
  if (role === 'key') return endsKey(cursor, quote, next)
  if (character === ',') return role === 'document' || endsBeforeComma(cursor, next, role, closers)
  if (character === '}' || character === ']') return role === 'document' || endsBeforeCloser(cursor, next)
  if (':+#`;…'.includes(character) || text.startsWith('...', next)) return true
  if (character === '/') return '/*'.includes(text[next + 1] ?? ' ')
  if (character === ')') return cursor.open.rounds > 0 || role === 'document'
  if (brokeLine(cursor, quote, next)) return true
  if (role === 'element' && matchAt(cursor, quoteBeforeGap, quote) !== undefined) return false
  if (isQuote(character)) return role !== 'member' || startsNextKey(cursor, next)
  if (character === '{' || character === '[')
    return role !== 'member' && matchAt(cursor, bracketInQuotes, next) === undefined
  return endsBeforeText(cursor, next, role, closers)
}

/** Text that may stand between a string never closed and the next one. */
const between = /(?:[,+]\s{0,62}$|[,+]?\/\*[^*]{0,64}\*\/\+?\s{0,8}$)/

const lastString = /"[^"\n]{0,128}"\s{0,8}(?:[,}\]]|$)/y

/**
 * Whether a quote inside a string is in truth the start of what comes next, because the string was never closed: undefined when
 * it is not, else how many characters before the quote belong to neither.
 */
export const opensNext = (cursor: Cursor, quote: number, role: StringRole): number | undefined => {
  const before = lastBefore(cursor.text, quote)
  if (before === '' || !',\n/+'.includes(before)) return undefined
  const gap = between.exec(cursor.text.slice(Math.max(0, quote - 128), quote))?.[0] ?? ''
  cursor.steps += 128
  if (gap.includes('/*')) return gap.length
  if (gap.startsWith('+') && gap.includes('\n') && matchAt(cursor, lastString, quote) !== undefined)
    return gap.length
  return (before === ',' || before === '\n') && startsNext(cursor, quote, role) ? gap.length : undefined
}

const startsNext = (cursor: Cursor, quote: number, role: StringRole): boolean => {
  const pattern =
    role === 'member' ? /["'“][^"'“”\n:{}[\],]{1,64}["'”]\s{0,8}:/y : /"[^"\n]{0,64}"\s{0,8}[,\]]/y
  return matchAt(cursor, pattern, quote) !== undefined
}

/** The last character before `offset` that is no space; a line break counts. */
const lastBefore = (text: string, offset: number): string => {
  let at = offset - 1
  while (at >= 0 && at > offset - 64 && ' \t\r'.includes(text[at] ?? '')) at--
  return text[at] ?? ''
}
