/** A point in time as it was written; `month` from 1, `offset` in minutes east of Greenwich. */
export type Written = {
  year: number
  month: number
  day: number
  hour?: number
  minute?: number
  second?: number
  offset?: number
}

const ranges: readonly [part: keyof Written, from: number, to: number][] = [
  ['year', 1, 9999],
  ['month', 1, 12],
  ['hour', 0, 24],
  ['minute', 0, 59],
  ['second', 0, 60.999_999_999],
  ['offset', -24 * 60, 24 * 60],
]

const midnight = { hour: 0, minute: 0, second: 0, offset: 0 }

/** ISO 8601 in UTC; null for what no calendar and no clock shows. `24:00` and a leap second are the next one. */
export const instant = (parts: Written): string | null => {
  const whole = { ...midnight, ...parts }
  if (!ranges.every(([part, from, to]) => whole[part] >= from && whole[part] <= to)) return null
  const { year, month, day, hour, minute, second, offset } = whole
  if (hour === 24 && minute + second > 0) return null
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (day < 1 || date.getUTCMonth() !== month - 1) return null
  date.setUTCHours(hour, minute - offset, Math.floor(second), Math.round((second % 1) * 1000))
  const isPast = date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999
  return isPast ? date.toISOString() : null
}

/** A year of two digits as RFC 2822 §4.3 has it. */
export const fullYear = (digits: string): number =>
  digits.length > 2 ? Number(digits) : Number(digits) + (Number(digits) < 50 ? 2000 : 1900)
