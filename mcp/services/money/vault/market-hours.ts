import { dayMs } from '../../../lib/time.ts'
/** The exchange of the stocks (New York): when it trades, and when it last did. */
export type MarketHours = { open: boolean; since: Date }

const zone = 'America/New_York'
const format = new Intl.DateTimeFormat('en-US', {
  timeZone: zone,
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
})

type Local = { year: number; month: number; day: number; minutes: number }

const toLocal = (at: Date): Local => {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    minutes: part('hour') * 60 + part('minute'),
  }
}

const weekday = (year: number, month: number, day: number): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay()

/** Easter Sunday by the Gregorian computus (Meeus), as days since 1 March. */
const easter = (year: number): number => {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100]
  const [d, e] = [Math.floor(b / 4), b % 4]
  const g = Math.floor((8 * b + 13) / 25)
  const h = (19 * a + b - d - g + 15) % 30
  const [i, k] = [Math.floor(c / 4), c % 4]
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 19 * l) / 433)
  const month = Math.floor((h + l - 7 * m + 90) / 25)
  const day = (h + l - 7 * m + 33 * month + 19) % 32
  return (month - 3) * 31 + day
}

/** The nth such weekday of a month; the last one for −1. */
const nthWeekday = (year: number, month: number, day: number, nth: number): number => {
  const first = 1 + ((day - weekday(year, month, 1) + 7) % 7)
  if (nth > 0) return first + 7 * (nth - 1)
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return first + 7 * Math.floor((length - first) / 7)
}

/** A fixed holiday is kept on Friday or Monday when it falls on a weekend; New Year never on the Friday of the old year. */
const isObserved = ({ year, month, day }: Local, on: readonly [month: number, day: number]): boolean => {
  const [holidayMonth, holidayDay] = on
  const at = new Date(Date.UTC(year, holidayMonth - 1, holidayDay))
  const shift = at.getUTCDay() === 6 ? -1 : at.getUTCDay() === 0 ? 1 : 0
  if (shift === -1 && holidayMonth === 1) return false
  const observedDay = new Date(at.getTime() + shift * dayMs)
  return observedDay.getUTCMonth() + 1 === month && observedDay.getUTCDate() === day
}

const isHoliday = (local: Local): boolean => {
  const { year, month, day } = local
  const fixed = [
    [1, 1],
    [6, 19],
    [7, 4],
    [12, 25],
  ] as const
  if (fixed.some(on => isObserved(local, on))) return true
  const moving = [
    [1, nthWeekday(year, 1, 1, 3)],
    [2, nthWeekday(year, 2, 1, 3)],
    [5, nthWeekday(year, 5, 1, -1)],
    [9, nthWeekday(year, 9, 1, 1)],
    [11, nthWeekday(year, 11, 4, 4)],
  ]
  if (moving.some(([m, d]) => m === month && d === day)) return true
  const goodFriday = new Date(Date.UTC(year, 2, easter(year) - 2))
  return goodFriday.getUTCMonth() + 1 === month && goodFriday.getUTCDate() === day
}

/** Minute of the day at which a session ends: at one o'clock on three days a year. */
const closesAt = ({ year, month, day }: Local): number => {
  const isEarly =
    (month === 7 && day === 3) ||
    (month === 12 && day === 24) ||
    (month === 11 && day === nthWeekday(year, 11, 4, 4) + 1)
  return (isEarly ? 13 : 16) * 60
}

const opensAt = 9 * 60 + 30

const isTradingDay = (local: Local): boolean =>
  ![0, 6].includes(weekday(local.year, local.month, local.day)) && !isHoliday(local)

const isOpen = (local: Local): boolean =>
  isTradingDay(local) && local.minutes >= opensAt && local.minutes < closesAt(local)

/** True when the exchange trades, and since when it does or does not (to the minute). */
export const readMarketHours = (now: Date): MarketHours => {
  const minuteMs = 60_000
  const floor = Math.floor(now.getTime() / minuteMs) * minuteMs
  const open = isOpen(toLocal(new Date(floor)))
  for (let days = 0; days < 12; days++) {
    const at = new Date(floor - days * dayMs)
    const local = toLocal(at)
    if (!isTradingDay(local)) continue
    const edge = open ? opensAt : closesAt(local)
    // Sessions lie within one offset of the zone: clocks change on Sundays.
    const since = new Date(at.getTime() - (local.minutes - edge) * minuteMs)
    if (since.getTime() <= floor) return { open, since }
  }
  return { open, since: new Date(floor) }
}
