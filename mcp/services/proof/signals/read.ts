import { isRecord, type JsonRecord } from '../../../lib/json.ts'
import { type FundingPoint, type HourClose, hourMs, type Problem, VenueFault } from './venue.ts'

const numeral = /^-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?$/

type Bounds = { min?: number; max?: number }

/** A number, which many venues write as text. Throws where it is none, not finite or beyond what can be. */
export const readNumber = (value: unknown, field: string, { min, max }: Bounds = {}): number => {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !numeral.test(text)) throw new VenueFault(`${field} is not a number`)
  const number = Number(text)
  if (!Number.isFinite(number)) throw new VenueFault(`${field} is not finite`)
  if (min !== undefined && number < min) throw new VenueFault(`${field} is below what can be`)
  if (max !== undefined && number > max) throw new VenueFault(`${field} is above what can be`)
  return number
}

/** A price of one coin in USD. */
export const readPrice = (value: unknown, field: string): number =>
  readNumber(value, field, { min: 1e-12, max: 1e9 })

/** A funding rate of one interval; no venue lets it be above 4 %, and none may move our answer further than 10. */
export const readRate = (value: unknown): number => readNumber(value, 'funding rate', { min: -0.1, max: 0.1 })

export const readAmount = (value: unknown, field: string): number =>
  readNumber(value, field, { min: 0, max: 1e18 })

const firstTime = Date.UTC(2015, 0, 1)
/** Clocks differ. */
const maxAheadMs = 60_000

/** Milliseconds since 1970 that are not of the future. */
export const readTime = (value: unknown, now: number): number => {
  const time = readNumber(value, 'timestamp')
  if (!Number.isInteger(time) || time < firstTime)
    throw new VenueFault('its timestamp is not in milliseconds')
  if (time > now + maxAheadMs) throw new VenueFault('its timestamp is of the future')
  return time
}

export const readList = (value: unknown, field: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw new VenueFault(`${field} is not a list`)
  return value
}

export const readRecord = (value: unknown, field: string): JsonRecord => {
  if (!isRecord(value)) throw new VenueFault(`${field} is not an object`)
  return value
}

/** The only row of a list. */
export const readFirst = (value: unknown, field: string): JsonRecord => {
  const [first] = readList(value, field)
  if (first === undefined) throw new VenueFault('it does not list the coin')
  return readRecord(first, field)
}

/** The value of a read that may fail; else undefined, and the problem is noted. */
export const attemptField = <T>(problems: Problem[], field: string, read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof VenueFault)) throw error
    problems.push({ field, reason: error.message })
    return undefined
  }
}

/** The fields that there are. */
export const compact = <T extends object>(fields: T): { [name in keyof T]?: Exclude<T[name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** The beginning of the hour that a time is in, so that a question is the same for an hour. */
export const startOfHour = (time: number): number => Math.floor(time / hourMs) * hourMs

const maxHistory = 2000

/** Funding points in the order of time, each once. */
export const toHistory = (rows: readonly unknown[], read: (row: unknown) => FundingPoint): FundingPoint[] => {
  const points = new Map(rows.slice(0, maxHistory).map(row => [read(row).at, read(row)]))
  return [...points.values()].sort((a, b) => a.at - b.at)
}

/**
 * Closes of whole hours in the order of time, from the last gap on: a return over a gap is none of an hour. The running hour is left
 * out. Throws where the last one is more than three hours old.
 */
export const toCloses = (
  rows: readonly unknown[],
  now: number,
  read: (row: unknown) => HourClose,
): HourClose[] => {
  const byStart = new Map<number, HourClose>()
  for (const row of rows.slice(0, maxHistory)) {
    const hour = read(row)
    if (hour.start % hourMs !== 0) throw new VenueFault('its candles do not begin with an hour')
    if (hour.start + hourMs <= now) byStart.set(hour.start, hour)
  }
  const hours = [...byStart.values()].sort((a, b) => a.start - b.start)
  const gap = hours.findLastIndex(
    ({ start }, index) => start - (hours[index - 1]?.start ?? start - hourMs) !== hourMs,
  )
  const closes = gap < 0 ? hours : hours.slice(gap)
  const last = closes.at(-1)
  if (!last) throw new VenueFault('it has no candles')
  if (now - last.start > 4 * hourMs) throw new VenueFault('its candles are hours old')
  return closes
}
