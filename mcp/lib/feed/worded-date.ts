import { fullYear, instant } from './instant.ts'
import { parseOffset } from './zone.ts'

/** Beginnings of the names of the months, without accents: English and the languages feeds are written in besides. */
const beginnings: readonly (readonly string[])[] = [
  ['jan', 'ene', 'gen', 'янв', 'ιαν', 'sty'],
  ['feb', 'fev', 'фев', 'φεβ', 'lut'],
  ['mar', 'mrz', 'maa', 'mrt', 'мар', 'μαρ', 'μαω'],
  ['apr', 'avr', 'abr', 'апр', 'απρ', 'kwi'],
  ['may', 'mai', 'mei', 'maj', 'mag', 'маи', 'мая', 'μαι'],
  ['jun', 'juin', 'giu', 'июн', 'ιουν', 'ιον', 'cze'],
  ['jul', 'juil', 'lug', 'июл', 'ιουλ', 'ιολ', 'lip'],
  ['aug', 'aou', 'ago', 'авг', 'αυγ', 'sie'],
  ['sep', 'set', 'сен', 'σεπ', 'wrz'],
  ['oct', 'okt', 'ott', 'out', 'окт', 'οκτ', 'paz'],
  ['nov', 'ноя', 'νοε', 'lis'],
  ['dec', 'dez', 'dic', 'des', 'дек', 'δεκ', 'gru'],
]

/** The month from 1 that a word names; undefined for words that name none. */
const parseMonth = (word: string): number | undefined => {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  if (!/^\p{L}{3,12}\.?$/u.test(plain)) return undefined
  const position = beginnings.findIndex(names => names.some(name => plain.startsWith(name)))
  return position < 0 ? undefined : position + 1
}

const clock = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d{1,9})?)?$/

type Parts = {
  numbers: string[]
  months: number[]
  time?: { hour: number; minute: number; second: number }
  half?: string
  zone?: string
}

const midday = new Set(['am', 'pm', 'a.m.', 'p.m.'])

/** Sorts the words of a date by what they are; undefined when there is one too many of a kind. */
const sort = (words: readonly string[]): Parts | undefined => {
  const parts: Parts = { numbers: [], months: [] }
  for (const [index, word] of words.entries()) {
    const [, hour, minute, second = '0'] = clock.exec(word) ?? []
    const number = /^(\d{1,4})(?:st|nd|rd|th|\.)?$/i.exec(word)?.[1]
    const month = parseMonth(word)
    if (hour !== undefined) {
      if (parts.time) return undefined
      parts.time = { hour: Number(hour), minute: Number(minute), second: Number(second) }
    } else if (number !== undefined && parts.numbers.length < 2) parts.numbers.push(number)
    else if (midday.has(word.toLowerCase())) parts.half = word.toLowerCase()
    else if (month !== undefined && !(parts.time && parts.months.length > 0)) parts.months.push(month)
    else if (parts.time && parts.zone === undefined) parts.zone = word
    else if (index > 0) return undefined
  }
  return parts
}

const toHour24 = (hour: number, half: string | undefined): number => {
  if (half === undefined || hour > 12) return hour
  return (hour % 12) + (half.startsWith('p') ? 12 : 0)
}

/** Words of a date: without commas, comments in brackets, and the hyphens of RFC 850. */
const splitWords = (text: string): string[] =>
  text
    .replace(/\([^()]{0,60}\)/g, ' ')
    .replace(/(\d)-(\p{L}{3,9}\.?)-(\d)/u, '$1 $2 $3')
    .replace(/(:\d{2})(?=[+-]\d|[a-z]{1,5}\b)/i, '$1 ')
    .replace(/\bat (?=\d)/i, '')
    .replace(/(\d)(am|pm)\b/i, '$1 $2')
    .split(/[\s,]+/)
    .filter(word => word !== '' && !/^(?:de|of|um|à|den|le|uhr)$/i.test(word))

/**
 * A date with the month as a word: RFC 822 with all that feeds make of it (years of two digits, no seconds, no time, month
 * before day, long names, other languages) and asctime. Without a zone it is UTC; null for what is none.
 */
export const parseWorded = (text: string): string | null => {
  const words = splitWords(text)
  const parts = words.length > 12 ? undefined : sort(words)
  const month = parts?.months.at(-1)
  const [one, other] = parts?.numbers ?? []
  if (!parts || month === undefined || one === undefined || other === undefined) return null
  const [day, year] = one.length > 2 ? [other, one] : [one, other]
  const offset = parseOffset(parts.zone ?? 'Z')
  if (day.length > 2 || offset === null) return null
  const { hour = 0, minute = 0, second = 0 } = parts.time ?? {}
  return instant({
    year: fullYear(year),
    month,
    day: Number(day),
    hour: toHour24(hour, parts.half),
    minute,
    second,
    offset,
  })
}
