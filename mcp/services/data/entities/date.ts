import type { Cover, Span } from './span.ts'

export type Precision = 'year' | 'month' | 'day' | 'minute' | 'second'

export type FoundDate = Span & {
  key: string
  raw: string
  iso: string | null
  isoEnd: string | null
  precision: Precision
  ambiguous: boolean
  otherIso: string | null
  relative: boolean
}

const isoLike =
  /(?<![\w/.-])(\d{4})([-/])(\d{2})(?:\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2}|UTC|GMT)?)?)?(?![\w]|-\d|\.\d|[:/]\d)/g
const numeric = /(?<![\w/.-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\w]|[./-]\d)/g

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

type Reading = { iso: string; precision: Precision; otherIso?: string }

const readIso = (match: RegExpMatchArray): Reading | undefined => {
  const [, year = '', , month = '', day, hour, minute, second, zone] = match
  if (day === undefined) {
    const exists = match[2] === '-' && Number(month) >= 1 && Number(month) <= 12
    return exists ? { iso: `${year}-${month}`, precision: 'month' } : undefined
  }
  const iso = dayIso(Number(year), Number(month), Number(day))
  if (!iso || hour === undefined || minute === undefined) return iso ? { iso, precision: 'day' } : undefined
  const full = toTimestamp(iso, hour, minute, second, zone)
  return full ? { iso: full, precision: second ? 'second' : 'minute' } : undefined
}

const fullYear = (year: string): number => {
  if (year.length === 4) return Number(year)
  return Number(year) + (Number(year) < 70 ? 2000 : 1900)
}

const readNumeric = (match: RegExpMatchArray, monthFirst: boolean): Reading | undefined => {
  const [raw, one = '', mark, other = '', year = ''] = match
  if (mark === '.' && year.length === 2 && raw.length < 8) return undefined
  const dayFirst = dayIso(fullYear(year), Number(other), Number(one))
  const american = dayIso(fullYear(year), Number(one), Number(other))
  const [iso, otherIso] = monthFirst && mark !== '.' ? [american, dayFirst] : [dayFirst, american]
  const sure = iso ?? (mark === '.' ? undefined : otherIso)
  if (!sure) return undefined
  const open = mark !== '.' && iso && otherIso && iso !== otherIso
  return { iso: sure, precision: 'day', ...(open && { otherIso }) }
}

/**
 * Dates in digits: ISO 8601, and day, month and year in the order of the place. Where both orders make a date, `otherIso`
 * holds the second one.
 */
export const findNumericDates = (text: string, cover: Cover, monthFirst: boolean): FoundDate[] => {
  const dates: FoundDate[] = []
  const keep = (start: number, rawText: string, { iso, precision, ...rest }: Reading) => {
    const otherIso = rest.otherIso ?? null
    const raw = rawText.trimEnd()
    const ambiguous = otherIso !== null
    const span = { start, end: start + raw.length }
    const date = {
      ...span,
      key: iso,
      raw,
      iso,
      isoEnd: null,
      precision,
      ambiguous,
      otherIso,
      relative: false,
    }
    if (cover.take(span)) dates.push(date)
  }
  for (const match of text.matchAll(isoLike)) {
    const reading = readIso(match)
    if (reading) keep(match.index, match[0], reading)
  }
  for (const match of text.matchAll(numeric)) {
    const reading = readNumeric(match, monthFirst)
    if (reading) keep(match.index, match[0], reading)
  }
  return dates
}
