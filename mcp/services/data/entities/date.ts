import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'
import { readMonth } from './date-words.ts'
import { readTimeAfter } from './time-of-day.ts'

export type Precision = 'year' | 'month' | 'day' | 'minute' | 'second'

/** A year that has every day: for a date that names none. */
const leapYear = 2024

export type FoundDate = TextSpan & {
  key: string
  raw: string
  iso: string | null
  iso_end: string | null
  precision: Precision
  ambiguous: boolean
  other_iso: string | null
  relative: boolean
}

const isoLike =
  /(?<![\w.-]|(?<!\d{4}-\d\d-\d\d)\/)(\d{4})\u2009?([-/.])(?:(?<=\.)\s)?\u2009?(\d{1,2})(?:\u2009?\2(?:(?<=\.)\s)?\u2009?(\d{1,2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2}|UTC|GMT)?)?)?(?![\w]|-\d|\.\d|:\d|\/(?!\d{4}-\d\d-)\d)/g
const numeric =
  /(?<![\w/.-])(\d{1,2})(?:\u2009?([./-])\s?(\d{1,2})\u2009?\2\s?|([/-])(\d{1,2}),(?:\s(?=\d{4}(?!\d)))?)(\d{4}|\d{2})(?![\w]|[./-]\d|,\d{3})/gu

/** Words that announce a day, so that "22.4" after it is one and not a number. */
const announcedDatePattern =
  /(?:^|[\s(])(?:on|in|by|until|since|from|le|du|au|el|il|dal|al|am|den|dem|vom|bis|ab|zum|op|van|tot|em|no|dia|día|de)\s{1,6}$/i
const yearless = /(?<![\w/.,:-])(\d{1,2})([/.-])(\d{1,2})(?:(\.)(?!\d)|(?![\w%€$£]|[./:,-]\d|\s?[%€$£]))/g
/** From one day to another, with a mark that would else join their digits: "03.08.15-04.08.15", "16.8.-1.9". */
const dayPair =
  /(?<![\w/.,:-])(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2})?)?(\s?[-–—]\s?)(\d{1,2})\2(\d{1,2})(?:\2(\d{4}|\d{2})?)?(?![\w]|[./:-]\d|,\d|\s?[%€$£])/g
const clauseEnd = /^\s*(?:[,;!?)]|\.?\s*$|\.\s|$)/

const han = '〇零一二三四五六七八九十'
const eastAsian = new RegExp(
  `(?<![\\p{Nd}${han}])(?:([\\p{Nd}]{4}|[${han}]{4}|(?:\\p{Lo}{2})?(?:[\\p{Nd}]{1,3}|[${han}]{1,3}|元))\\s?[年년]\\s?)?([\\p{Nd}]{1,2}|[${han}]{1,3})\\s?[月월]\\s?(?:([\\p{Nd}]{1,2}|[${han}]{1,3})\\s?[日號号일])?`,
  'gu',
)

/** The year before the first one of the eras in which Japan and Taiwan count. */
const eras: Readonly<Record<string, number>> = {
  明治: 1867,
  大正: 1911,
  昭和: 1925,
  平成: 1988,
  令和: 2018,
  民國: 1911,
  民国: 1911,
}

/** The year before 年: of four figures, of an era, or of two figures in an era or century that is not named. */
const parseEastAsianYear = (text: string): { year: number; isOpen: boolean } => {
  const era = eras[text.slice(0, 2)]
  const figures = text.replace(/^\p{Lo}{2}(?=[\p{Nd}元])|^(?:明治|大正|昭和|平成|令和|民[國国])/u, '')
  const count = figures === '元' ? 1 : parseHan(figures)
  if (era !== undefined) return { year: era + count, isOpen: false }
  return count >= 1000
    ? { year: count, isOpen: false }
    : { year: count < 100 ? 2000 + count : count, isOpen: true }
}

/** A number in digits of any width, or in the numerals of China and Japan up to 99 or digit by digit. */
const parseHan = (text: string): number => {
  const plain = text.normalize('NFKC')
  if (/^\d+$/.test(plain)) return Number(plain)
  const digit = (character: string) =>
    Math.max(0, '〇一二三四五六七八九'.indexOf(character.replace('零', '〇')))
  const ten = plain.indexOf('十')
  if (ten < 0) return Number([...plain].map(digit).join(''))
  return (
    (ten === 0 ? 1 : digit(plain.charAt(ten - 1))) * 10 +
    (plain.length > ten + 1 ? digit(plain.charAt(ten + 1)) : 0)
  )
}

const two = (value: number) => String(value).padStart(2, '0')

const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** `YYYY-MM-DD`; undefined for a day that no calendar has. */
export const dayIso = (year: number, month: number, day: number): string | undefined => {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && leap ? 29 : (daysIn[month - 1] ?? 0)
  return day >= 1 && day <= days ? `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}` : undefined
}

/** A time of day with its zone as UTC; without a zone as local time, which carries no Z. */
const toTimestamp = (
  day: string,
  hour: string,
  minute: string,
  second = '00',
  zone?: string,
): string | undefined => {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const local = `${day}T${hour}:${minute}:${second}`
  if (!zone) return local
  const offset = /^[+-]/.test(zone) ? zone.replace(/^([+-]\d{2}):?/, '$1:') : 'Z'
  const date = new Date(local + offset)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z')
}

/** A day with the time that follows it in the text. */
export const withTime = (text: string, date: FoundDate): FoundDate => {
  if (date.precision !== 'day' || date.iso === null) return date
  const time = readTimeAfter(text.slice(date.end, date.end + 32))
  if (!time) return date
  const clock = `T${time.hour}:${time.minute}:${time.second ?? '00'}`
  const iso = date.iso + clock
  const end = date.end + time.length
  return {
    ...date,
    iso,
    key: iso,
    other_iso: date.other_iso === null ? null : date.other_iso + clock,
    precision: time.second === undefined ? 'minute' : 'second',
    end,
    raw: text.slice(date.start, end),
  }
}

type Reading = { iso: string; precision: Precision; other_iso?: string }

const readIso = (match: RegExpMatchArray): Reading | undefined => {
  const [, year = '', , month = '', day, hour, minute, second, zone] = match
  if (day === undefined) {
    const exists = match[2] === '-' && month.length === 2 && Number(month) >= 1 && Number(month) <= 12
    return exists ? { iso: `${year}-${month}`, precision: 'month' } : undefined
  }
  const iso = dayIso(Number(year), Number(month), Number(day))
  if (!iso || hour === undefined || minute === undefined) return iso ? { iso, precision: 'day' } : undefined
  const full = toTimestamp(iso, hour, minute, second, zone)
  return full ? { iso: full, precision: second ? 'second' : 'minute' } : undefined
}

/** A year of two digits lies between 1950 and 2049. */
export const expandYear = (year: string): number => {
  if (year.length === 4) return Number(year)
  return Number(year) + (Number(year) < 50 ? 2000 : 1900)
}

const readNumeric = (match: RegExpMatchArray, monthFirst: boolean): Reading | undefined => {
  const [raw, one = '', , , , , year = ''] = match
  const mark = match[2] ?? match[4]
  const other = match[3] ?? match[5] ?? ''
  if (mark === '.' && year.length === 2 && raw.length < 8) return undefined
  const dayFirst = dayIso(expandYear(year), Number(other), Number(one))
  const american = dayIso(expandYear(year), Number(one), Number(other))
  const [iso, otherIso] = monthFirst && mark !== '.' ? [american, dayFirst] : [dayFirst, american]
  const sure = iso ?? (mark === '.' ? undefined : otherIso)
  if (!sure) return undefined
  // "05. 10. 12." has spaces as Slovenes write it, and as Koreans do, with the year first.
  const yearFirst =
    mark === '.' && year.length === 2 && /\.\s/.test(raw)
      ? dayIso(expandYear(one), Number(other), Number(year))
      : undefined
  if (yearFirst !== undefined) return { iso: sure, precision: 'day', other_iso: yearFirst }
  const open = mark !== '.' && iso && otherIso && iso !== otherIso
  return { iso: sure, precision: 'day', ...(open && { other_iso: otherIso }) }
}

/** The year in which a day and month lie nearest to the reference; that of the reference unless another is much nearer. */
export const nearestYear = (month: number, day: number, reference: Date): number => {
  const year = reference.getUTCFullYear()
  const distance = (candidate: number) => Math.abs(Date.UTC(candidate, month - 1, day) - reference.getTime())
  const nearest = [year, year + 1, year - 1].reduce((best, each) =>
    distance(each) < distance(best) ? each : best,
  )
  return distance(year) - distance(nearest) < 150 * 86_400_000 ? year : nearest
}

type NumericOptions = { monthFirst: boolean; reference: Date | undefined }

/** A day and month without a year, such as 22/04 or "am 15.1."; undefined where it is more likely a number or a fraction. */
const readYearless = (text: string, match: RegExpExecArray, { monthFirst, reference }: NumericOptions) => {
  const [raw, one = '', mark = '', other = '', dot] = match
  const isAnnounced = announcedDatePattern.test(text.slice(Math.max(0, match.index - 12), match.index))
  const after = text.slice(match.index + raw.length, match.index + raw.length + 8)
  const isPlain =
    mark === '/'
      ? isAnnounced || (one.length === 2 && other.length === 2)
      : isAnnounced && (dot !== undefined || clauseEnd.test(after))
  if (!isPlain || raw.replace('.', '') === '24/7') return undefined
  const day = (month: string, dayOf: string) => {
    const [monthNumber, dayNumber] = [Number(month), Number(dayOf)]
    if (dayIso(leapYear, monthNumber, dayNumber) === undefined) return undefined
    return {
      iso: reference && dayIso(nearestYear(monthNumber, dayNumber, reference), monthNumber, dayNumber),
    }
  }
  const [dayFirst, american] = [day(other, one), day(one, other)]
  const usesMonthFirst = monthFirst && dot === undefined
  const [first, second] = usesMonthFirst ? [american, dayFirst] : [dayFirst, american]
  const reading = first ?? second
  if (!reading) return undefined
  const otherIso =
    first && second && first.iso !== second.iso && dot === undefined ? (second.iso ?? null) : null
  return { iso: reading.iso ?? null, other_iso: otherIso }
}

/** The two days of a range; those without a year take that of the end, else of the reference. */
const readDayPair = (match: RegExpExecArray, { monthFirst, reference }: NumericOptions) => {
  const [raw, one = '', mark, second = '', year, dash = '', otherOne = '', otherTwo = '', endYear] = match
  // "1.5-2.5" and "1/2-3/4" are numbers: a range of days has a year or the full stop of a German ordinal.
  const isOrdinal = mark === '.' && /^\d+\.\d+\.\s?[-–—]/.test(raw)
  if (year === undefined && endYear === undefined && !isOrdinal) return []
  // "28.12.-3.1.2016" begins in the year before.
  const isYearEarlier = (month: number, day: number) =>
    mark === '.' && month * 100 + day > Number(otherTwo) * 100 + Number(otherOne)
  const half = (first: string, last: string, own: string | undefined) => {
    const toIso = (month: number, day: number) => {
      const written = own ?? endYear
      if (dayIso(leapYear, month, day) === undefined) return undefined
      if (written === undefined && !reference) return null
      const yearOf = (text: string) =>
        own === undefined && isYearEarlier(month, day) ? expandYear(text) - 1 : expandYear(text)
      return dayIso(
        written === undefined && reference ? nearestYear(month, day, reference) : yearOf(written ?? ''),
        month,
        day,
      )
    }
    const dayFirst = toIso(Number(last), Number(first))
    const american = mark === '/' ? toIso(Number(first), Number(last)) : undefined
    const [iso, other] = monthFirst && american !== undefined ? [american, dayFirst] : [dayFirst, american]
    const sure = iso === undefined ? other : iso
    return sure === undefined
      ? undefined
      : { iso: sure, other_iso: iso !== undefined && other !== iso ? (other ?? null) : null }
  }
  const length = raw.indexOf(dash, one.length + second.length)
  const start = half(one, second, year)
  const end = half(otherOne, otherTwo, endYear)
  if (!start || !end) return []
  const shape = { precision: 'day' as const, relative: year === undefined && endYear === undefined }
  return [
    { ...start, ...shape, at: 0, raw: raw.slice(0, length) },
    { ...end, ...shape, at: length + dash.length, raw: raw.slice(length + dash.length) },
  ]
}

/**
 * Dates in digits: ISO 8601, year first with any mark, East Asian, and day, month and year in the order of the place. Where
 * both orders make a date, `otherIso` holds the second one. A day and month without a year take that of the reference.
 */
export const findNumericDates = (text: string, cover: Cover, options: NumericOptions): FoundDate[] => {
  const dates: FoundDate[] = []
  type Whole = Omit<Reading, 'iso' | 'other_iso'> & {
    iso: string | null
    other_iso?: string | null
    relative?: boolean
    isOpen?: boolean | undefined
  }
  const keep = (
    start: number,
    rawText: string,
    { iso, precision, relative = false, isOpen = false, ...rest }: Whole,
  ) => {
    const otherIso = rest.other_iso ?? null
    const raw = rawText.trimEnd()
    const ambiguous = otherIso !== null || iso === null || isOpen
    const span = { start, end: start + raw.length }
    const date = withTime(text, {
      ...span,
      key: iso ?? raw,
      raw,
      iso,
      iso_end: null,
      precision,
      ambiguous,
      other_iso: otherIso,
      relative,
    })
    if (cover.take(date)) dates.push(date)
  }
  for (const match of text.matchAll(isoLike)) {
    const reading = readIso(match)
    if (reading) keep(match.index, match[0], reading)
  }
  for (const match of /[月월]/.test(text) ? text.matchAll(eastAsian) : []) {
    const [raw, year, month = '', day] = match
    if (year === undefined && day === undefined) continue
    const monthNumber = parseHan(month)
    const dayNumber = day === undefined ? 1 : parseHan(day)
    const { reference } = options
    const written = year === undefined ? undefined : parseEastAsianYear(year.normalize('NFKC'))
    // "1年3月" is a length of time.
    if (written?.isOpen && day === undefined) continue
    const yearNumber = written?.year ?? (reference && nearestYear(monthNumber, dayNumber, reference))
    const iso = dayIso(yearNumber ?? leapYear, monthNumber, dayNumber)
    if (iso === undefined) continue
    keep(match.index, raw, {
      iso: yearNumber === undefined ? null : day === undefined ? iso.slice(0, 7) : iso,
      precision: day === undefined ? 'month' : 'day',
      relative: year === undefined,
      isOpen: written?.isOpen,
    })
  }
  for (const match of text.matchAll(dayPair)) {
    for (const half of readDayPair(match, options)) keep(match.index + half.at, half.raw, half)
  }
  for (const match of text.matchAll(numeric)) {
    // "August 3-4, 2015" is no 4th of March.
    const before = /(\p{L}+)\.?\s$/u.exec(text.slice(Math.max(0, match.index - 24), match.index))?.[1]
    if (match[5] !== undefined && before !== undefined && readMonth(before)) continue
    const reading = readNumeric(match, options.monthFirst)
    if (reading) keep(match.index, match[0], reading)
  }
  for (const match of text.matchAll(yearless)) {
    const reading = readYearless(text, match, options)
    if (reading) keep(match.index, match[0], { ...reading, precision: 'day', relative: true })
  }
  return dates
}
