import { parseIso } from './iso-date.ts'
import { parseWorded } from './worded-date.ts'

/** Months of Hungarian blogs, which stand between the digits of an ISO date, in their UTF-8 and their mangled spelling. */
const hungarian: readonly RegExp[] = [
  /janu[aá]r/,
  /febru[aá]r|febru[aá]ri/,
  /m[aá]rcius/,
  /[aá]prilis/,
  /m[aá]ujus|m[aá]jus/,
  /j[uú]nius/,
  /j[uú]lius/,
  /augusztus/,
  /szeptember/,
  /okt[oó]ber/,
  /november/,
  /december/,
]

const two = (digits: string) => digits.padStart(2, '0')

const parseHungarian = (text: string): string | null => {
  const [, year, month = '', day = '', hour = '', rest = ''] =
    /^(\d{4})-(\p{L}{3,12})-(\d{1,2})T(\d{1,2})(:\d{2}.*)$/u.exec(text.toLowerCase().replace('t', 'T')) ?? []
  const name = hungarian.findIndex(spelling => spelling.test(month))
  return year === undefined || name < 0
    ? null
    : parseIso(`${year}-${two(String(name + 1))}-${two(day)}T${two(hour)}${rest}`)
}

/** Korean blogs: `2004년 05월 28일 01:31:15`, and `2004-05-25 오후 11:23:17`, both in Korean time. */
const parseKorean = (text: string): string | null => {
  const long = /^(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일\s*(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text)
  const half = /^(\d{4})-(\d{1,2})-(\d{1,2})\s+(오전|오후)\s+(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text)
  if (long) {
    const [, year, month = '', day = '', hour = '', minute, second = '00'] = long
    return parseIso(`${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}+09:00`)
  }
  if (!half) return null
  const [, year, month = '', day = '', part, hour = '', minute, second = '00'] = half
  const full = String((Number(hour) % 12) + (part === '오후' ? 12 : 0))
  return parseIso(`${year}-${two(month)}-${two(day)}T${two(full)}:${minute}:${second}+09:00`)
}

/** Seconds or milliseconds since 1970, as some programs write them. */
const parseCount = (text: string): string | null => {
  if (!/^[12]\d{9}(?:\d{3})?$/.test(text)) return null
  return new Date(Number(text) * (text.length === 10 ? 1000 : 1)).toISOString()
}

/**
 * The date of a feed as ISO 8601 in UTC: W3CDTF and the rest of ISO 8601, RFC 822 and what became of it, asctime, and the
 * shapes of Greek, Hungarian and Korean blogs. Without a zone it is taken for UTC; null when it is no date.
 */
export const readDate = (raw: string): string | null => {
  const text = raw.replace(/\s+/g, ' ').trim()
  if (text === '' || text.length > 100) return null
  const weekday = /^\p{L}{2,12}\.?,? (?=\d{4}[-/])/u.exec(text)?.[0] ?? ''
  return (
    parseIso(text.slice(weekday.length)) ??
    parseCount(text) ??
    parseWorded(text) ??
    parseHungarian(text) ??
    parseKorean(text)
  )
}
