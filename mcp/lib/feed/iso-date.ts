import { dayMs } from '../time.ts'
import { fullYear, instant, type Written } from './instant.ts'
import { parseOffset } from './zone.ts'

/** The date in W3CDTF and ISO 8601: in full, cut short, by week or by day of the year, with a year of two digits. */
const shapes: readonly RegExp[] = [
  /^(?<year>\d{4})-0?(?<month>\d{1,2})-(?<day>\d{1,2})$/,
  /^(?<year>\d{4})[/.](?<month>\d{1,2})[/.](?<day>\d{1,2})$/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  /^(?<year>\d{4})-W?(?<week>(?<=W)\d{2})-?(?<weekday>[1-7])?$/i,
  /^(?<year>\d{4})W(?<week>\d{2})(?<weekday>[1-7])?$/i,
  /^(?<year>\d{4})-?(?<ordinal>\d{3})$/,
  /^(?<year>\d{4})-(?<month>\d{2})$/,
  /^(?<year>\d{4})$/,
  /^(?<year>\d{2})-(?<month>\d{2})-(?<day>\d{2})$/,
  /^(?<year>\d{2})(?<month>\d{2})(?<day>\d{2})$/,
  /^(?<year>\d{2})-?(?<ordinal>\d{3})$/,
  /^-(?<year>\d{2})-?(?<month>\d{2})$/,
]

const time =
  /^(?<hour>\d{1,2}):?(?<minute>\d{2})(?::?(?<second>\d{2}(?:[.,]\d{1,9})?))?\s?(?<zone>\S{1,40})?$/

/** The day that lies `days` after the first of January. */
const dayOfYear = (year: number, days: number): Pick<Written, 'month' | 'day'> => {
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(year)
  const shifted = new Date(date.getTime() + days * dayMs)
  return {
    month: shifted.getUTCFullYear() === year ? shifted.getUTCMonth() + 1 : 0,
    day: shifted.getUTCDate(),
  }
}

/** Week 1 is the one with the fourth of January (ISO 8601 §2.2.10). */
const dayOfWeek = (year: number, week: number, weekday: number): Written | undefined => {
  const fourth = new Date(Date.UTC(year, 0, 4))
  const monday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * dayMs
  const date = new Date(monday + ((week - 1) * 7 + weekday - 1) * dayMs)
  const parts = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
  return week >= 1 && week <= 53 ? parts : undefined
}

const parseDay = (text: string): Written | undefined => {
  for (const shape of shapes) {
    const {
      year: digits,
      month = '1',
      day = '1',
      ordinal,
      week,
      weekday = '1',
    } = shape.exec(text)?.groups ?? {}
    if (digits === undefined) continue
    const year = fullYear(digits)
    if (week) return dayOfWeek(year, Number(week), Number(weekday))
    if (ordinal) return Number(ordinal) > 0 ? { year, ...dayOfYear(year, Number(ordinal) - 1) } : undefined
    return { year, month: Number(month), day: Number(day) }
  }
  return undefined
}

const parseTime = (text: string): Omit<Written, 'year' | 'month' | 'day'> | undefined => {
  const { hour, minute, second = '0', zone = 'Z' } = time.exec(text)?.groups ?? {}
  const offset = parseOffset(zone)
  if (hour === undefined || offset === null) return undefined
  return { hour: Number(hour), minute: Number(minute), second: Number(second.replace(',', '.')), offset }
}

/** A date in one of the shapes of ISO 8601, also with a space for the T and a zone by name; null for any other. */
export const parseIso = (text: string): string | null => {
  const [, date = '', clock = ''] = /^(\S*?)(?:(?:[Tt]|\s+)(\d.*))?$/s.exec(text) ?? []
  const day = parseDay(date)
  const rest = clock === '' ? {} : parseTime(clock)
  return day && rest ? instant({ ...day, ...rest }) : null
}
