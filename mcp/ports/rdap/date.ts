import { clean } from '../../lib/text/clean.ts'
import { zoneHours } from '../../lib/time.ts'
import type { RegistryDate } from './port.ts'

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Hours from UTC of the zone names that registries print. */
const zones: Readonly<Record<string, number>> = {
  ...zoneHours,
  trt: 3,
  cst: 8,
  clst: -3,
  clt: -4,
}

type Day = [year: number, month: number, day: number]

const word = '[a-zà-ÿ]{3,12}'

/** The ways registries write a day, and where year, month and day are in each. */
const days: readonly [RegExp, (...parts: string[]) => [year: string, month: string, day: string]][] = [
  [/\b(\d{4})[-/.] ?(\d{1,2})[-/.] ?(\d{1,2})(?!\d)/, (_, y = '', m = '', d = '') => [y, m, d]],
  [/\b(\d{4})(\d{2})(\d{2})(?=$|\D|\d{6}(?!\d))/, (_, y = '', m = '', d = '') => [y, m, d]],
  [/\b(\d{1,2})[-/. ] ?(\d{1,2})[-/. ] ?(\d{4})\b/, (_, d = '', m = '', y = '') => [y, m, d]],
  [
    new RegExp(`\\b(\\d{1,2})[-/. ]+(${word})\\.?[-/., ]+(\\d{4})\\b`),
    (_, d = '', m = '', y = '') => [y, m, d],
  ],
  [new RegExp(`\\b(\\d{4})[-/. ](${word})[-/. ](\\d{1,2})(?!\\d)`), (_, y = '', m = '', d = '') => [y, m, d]],
  [
    new RegExp(`\\b(${word})\\.? +(\\d{1,2}),? +(?:\\S* +){0,2}(\\d{4})\\b`),
    (_, m = '', d = '', y = '') => [y, m, d],
  ],
]

const parseMonth = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) : months.indexOf(text.slice(0, 3)) + 1

/** Month before day only where the day cannot be a month. */
const orderDayAndMonth = ([year, month, day]: Day): Day =>
  month > 12 && day <= 12 ? [year, day, month] : [year, month, day]

const dayIn = (text: string): Day | undefined => {
  for (const [pattern, order] of days) {
    const match = pattern.exec(text)
    if (!match) continue
    const [year, month, day] = order(...match)
    const parts = orderDayAndMonth([Number(year), parseMonth(month), Number(day)])
    if (parts[1] >= 1) return parts
  }
  return undefined
}

const clock = /(?:^|[\st])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]m)?/
const packedTimePattern = /\b\d{8}(\d{2})(\d{2})(\d{2})\b/

const secondsIn = (text: string): number => {
  const match = packedTimePattern.exec(text) ?? clock.exec(text)
  if (!match) return 0
  const [, hours = '0', minutes = '0', seconds = '0', half] = match
  const hour = half ? (Number(hours) % 12) + (half === 'pm' ? 12 : 0) : Number(hours)
  return hour * 3600 + Number(minutes) * 60 + Number(seconds)
}

const offset = /(?:\d|[a-z(]|\s)([+-])(\d{1,2}):?(\d{2})?(?=[\s)z]|$)/

/** Hours east of UTC; 0 where nothing is said. */
const zoneIn = (text: string): number => {
  const rest = text.slice(text.search(/\d:\d{2}/) + 1)
  if (!/\d:\d{2}/.test(text)) return 0
  const [, sign, hours, minutes = '0'] = offset.exec(rest) ?? []
  if (sign) return (sign === '-' ? -1 : 1) * (Number(hours) + Number(minutes) / 60)
  const zoneMatch = [...rest.matchAll(/[a-z]{1,4}/g)].find(([name]) => Object.hasOwn(zones, name))
  return zoneMatch ? (zones[zoneMatch[0]] ?? 0) : 0
}

const isRealDay = ([year, month, day]: Day): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return year >= 1980 && year < 2200 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/**
 * A moment in any of the ways RDAP and the WHOIS servers of registries write one, as ISO 8601 UTC to the second. A time without
 * a zone counts as UTC, `01/02/2003` as the first of February. Null when there is no whole day in it, as in `before Aug-1996`.
 */
const parseMoment = (input: string): string | null => {
  const text = input
    .slice(0, 80)
    .toLowerCase()
    .replace(/\b(\d{1,2})(?:st|nd|rd|th)\b/g, '$1')
    .replace(/\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s/g, ' ')
    .replace(/#\d+/g, ' ')
  if (/\bbefore\b/.test(text)) return null
  const day = dayIn(text)
  if (!day || !isRealDay(day)) return null
  const seconds = secondsIn(text)
  if (seconds >= 86_400) return null
  const at = Date.UTC(day[0], day[1] - 1, day[2]) + seconds * 1000 - zoneIn(text) * 3_600_000
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** A date as it was written, read where it can be. Null for what holds no digit. */
export const parseRegistryDate = (value: unknown): RegistryDate | null => {
  if (typeof value !== 'string' || !/\d/.test(value)) return null
  return { at: parseMoment(value), raw: clean(value, 100) ?? '' }
}
