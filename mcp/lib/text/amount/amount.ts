import { guessLanguage, type Language } from './language.ts'

/** How a text writes its numbers, as far as it tells. */
export type Convention = { language: Language | undefined; decimal: '.' | ',' | undefined }

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The mark before the decimals where the text itself shows it: in "1.234,56" and "3,5" it is the comma. */
export const findConvention = (text: string): Convention => {
  const sample = text.slice(0, 64 * 1024)
  const commas =
    count(sample, /(?<![\d.,])\d{1,3}(?:\.\d{3})*,\d{1,2}(?![\d.,]*\d)/g) + 2 * count(sample, /\d\.\d{3},\d/g)
  const points =
    count(sample, /(?<![\d.,])\d{1,3}(?:,\d{3})*\.\d{1,2}(?![\d.,]*\d)/g) + 2 * count(sample, /\d,\d{3}\.\d/g)
  const language = guessLanguage(text)
  if (commas !== points) return { language, decimal: commas > points ? ',' : '.' }
  if (language === undefined) return { language, decimal: undefined }
  return { language, decimal: language === 'en' ? '.' : ',' }
}

/** A numeral as digits; `other` is the second reading where one mark before three digits may mean either. */
export type Numeral = { whole: string; fraction: string; other?: { whole: string; fraction: string } }

/** Groups of three behind a mark, or of two as in India. */
const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:,\d{2})+,\d{3}$/

/**
 * Reads a written number. Where both marks occur, the last one is that of the decimals; one mark several times groups; a
 * mark before exactly three digits groups as well, and the other reading is kept unless the text, its language or the
 * currency (`settled`) settles it. Both readings are kept of what no rule writes: "1.234.56", "1,234 567".
 */
export const readNumeral = (raw: string, settled: '.' | ',' | undefined, keepsBoth: boolean): Numeral => {
  const text = raw
    .replace(/[\s'’_]/g, '')
    .replace(/[.,](?=[-–—]+$)|[-–—]+$/g, '')
    .replace(/[.,]$/, '')
  const digits = (part: string) => part.replace(/\D/g, '')
  const [beforeMark = '', afterMark] = text.split('٫')
  if (afterMark !== undefined) return { whole: digits(beforeMark) || '0', fraction: digits(afterMark) }
  const marks = [...text].filter(character => character === '.' || character === ',')
  const last = marks.at(-1)
  if (last === undefined) return { whole: text, fraction: '' }
  const at = text.lastIndexOf(last)
  const cut = { whole: digits(text.slice(0, at)) || '0', fraction: digits(text.slice(at + 1)) }
  const joined = { whole: digits(text), fraction: '' }
  if (new Set(marks).size > 1) return text.indexOf(last) === at ? cut : joined
  if (marks.length > 1) return grouped.test(text) ? joined : { ...cut, other: joined }
  if (/[.,]\d{3}[\s'’_]\d/.test(raw)) return { ...joined, other: cut }
  const isGroup = cut.fraction.length === 3 && cut.whole.length <= 3 && !/^0/.test(cut.whole)
  if (!isGroup) return cut
  if (settled !== undefined && settled !== last && !keepsBoth) return joined
  return { ...joined, other: cut }
}

/** An exact decimal string of digits with the point moved `zeros` places to the right. */
export const toDecimal = (
  { whole, fraction }: { whole: string; fraction: string },
  zeros: number,
): string => {
  const digits =
    zeros < 0 ? `${'0'.repeat(-zeros)}${whole}` : whole + fraction.padEnd(zeros, '0').slice(0, zeros)
  const cut = zeros < 0 ? digits.length + zeros : digits.length
  const left = digits.slice(0, cut).replace(/^0+(?=\d)/, '')
  const right = (digits.slice(cut) + fraction.slice(Math.max(zeros, 0))).replace(/0+$/, '')
  return right === '' ? left : `${left}.${right}`
}
