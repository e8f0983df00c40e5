import { ToolError } from '../../../kernel/error.ts'
import { readMoments } from './sharpe.ts'

/** One realized return. Times are milliseconds; `at` orders the rows. */
export type ReturnRow = { value: number; at: number; coin?: string; entry?: number; exit?: number }

type Time = number | string

/** A trade as it came: exactly one of `ret` (fraction), `pnl` (money) and `net_bps`. */
export type RealizedTrade = {
  ret?: number | undefined
  pnl?: number | undefined
  net_bps?: number | undefined
  coin?: string | undefined
  ts?: Time | undefined
  entry?: Time | undefined
  exit?: Time | undefined
}

const minRows = 10

const refuse = (path: string, message: string, hint?: string): never => {
  throw new ToolError('invalid_input', `${path} ${message}.`, { issues: [{ path, message }], hint })
}

/** Unix seconds reach the year 5138 before they reach this; milliseconds passed it in 1973. */
const firstMillisecond = 100_000_000_000

const readTime = (time: Time | undefined, path: string): number | undefined => {
  if (time === undefined) return undefined
  if (typeof time === 'number') return time < firstMillisecond ? time * 1000 : time
  const at = Date.parse(time)
  return Number.isNaN(at) ? refuse(path, 'is no time', 'ISO 8601, or Unix seconds or milliseconds.') : at
}

const units = ['ret', 'pnl', 'net_bps'] as const

const readUnit = (trade: RealizedTrade, path: string): (typeof units)[number] => {
  const present = units.filter(unit => trade[unit] !== undefined)
  const [unit] = present
  if (unit === undefined || present.length > 1)
    return refuse(path, 'must have exactly one of ret, pnl and net_bps')
  return unit
}

const readTrade = (trade: RealizedTrade, nth: number, unit: (typeof units)[number]): ReturnRow => {
  const path = `trades.${nth}`
  if (readUnit(trade, path) !== unit)
    refuse(path, `must have ${unit}, as the first trade has`, 'All trades in one unit.')
  const entry = readTime(trade.entry, `${path}.entry`)
  const exit = readTime(trade.exit, `${path}.exit`)
  if (entry !== undefined && exit !== undefined && exit < entry)
    refuse(`${path}.exit`, 'is before the entry of the trade')
  const at = readTime(trade.ts, `${path}.ts`) ?? exit ?? entry ?? Number.NaN
  const raw = trade[unit] ?? 0
  return {
    value: unit === 'net_bps' ? raw / 10_000 : raw,
    at,
    ...(trade.coin !== undefined && { coin: trade.coin }),
    ...(entry !== undefined && { entry }),
    ...(exit !== undefined && { exit }),
  }
}

const checkOrder = (rows: readonly ReturnRow[]) => {
  const timed = rows.filter(({ at }) => !Number.isNaN(at)).length
  if (timed === 0) return
  rows.forEach(({ at }, nth) => {
    const path = `trades.${nth}.ts`
    if (Number.isNaN(at)) refuse(path, 'is missing, and other trades have one')
    const before = rows[nth - 1]
    if (before && before.at > at)
      refuse(path, 'is before that of the trade before it', 'Sort the trades by time, oldest first.')
  })
}

const checkEnough = (rows: readonly ReturnRow[], path: string) => {
  if (rows.length < minRows)
    refuse(
      path,
      `must have at least ${minRows} entries, and has ${rows.length}`,
      'Nothing is known of fewer.',
    )
  const { deviation, mean } = readMoments(rows.map(({ value }) => value))
  if (!(deviation > Math.abs(mean) * 1e-12)) refuse(path, 'must differ: all entries are the same')
}

/** The rows of a call, oldest first. Throws `invalid_input` that names the field. */
export const readRows = ({
  returns,
  trades,
}: {
  returns?: readonly number[] | undefined
  trades?: readonly RealizedTrade[] | undefined
}): ReturnRow[] => {
  if (returns && trades) return refuse('trades', 'cannot come together with returns')
  if (returns) {
    const rows = returns.map((value, at) => ({ value, at }))
    checkEnough(rows, 'returns')
    return rows
  }
  if (!trades) return refuse('returns', 'must be there, or trades')
  const [first] = trades
  if (!first) return refuse('trades', `must have at least ${minRows} entries, and has 0`)
  const unit = readUnit(first, 'trades.0')
  const rows = trades.map((trade, nth) => readTrade(trade, nth, unit))
  checkOrder(rows)
  checkEnough(rows, 'trades')
  return rows
}
