import { asList, asRecord } from '../../../../lib/json.ts'
import {
  attemptField,
  compact,
  readAmount,
  readList,
  readNumber,
  readPrice,
  readRate,
  readRecord,
  readTime,
  toCloses,
  toHistory,
} from '../read.ts'
import {
  type Coin,
  closeHours,
  keepSeconds,
  type Problem,
  type ReadVenue,
  type Venue,
  VenueFault,
} from '../venue.ts'

const contracts: Partial<Record<Coin, { symbol: string; units: number }>> = {
  PEPE: { symbol: '1000PEPEUSDT', units: 1000 },
}

const findContract = (coin: Coin) => contracts[coin] ?? { symbol: `${coin}USDT`, units: 1 }

/** An answer about the symbol that was asked for, and no other. */
const readOwn = (answer: unknown, symbol: string) => {
  const record = readRecord(answer, 'its answer')
  if (record.code === -1121) throw new VenueFault('it does not list the coin')
  if (record.symbol !== symbol) throw new VenueFault('it answers about another symbol')
  return record
}

/** Hours between fundings where no list says otherwise. */
const usualInterval = 8

/** Binance USD-M futures: linear in USDT. */
export const openBinance = (ask: ReadVenue): Venue => {
  /** Only symbols with another interval than the usual one are listed. */
  const askInterval = (symbol: string) =>
    ask({ path: '/fapi/v1/fundingInfo', seconds: keepSeconds.history }, answer =>
      readList(answer, 'its funding list').map(asRecord),
    ).then(rows => {
      const row = rows.find(row => row.symbol === symbol)
      return row
        ? readNumber(row.fundingIntervalHours, 'funding interval', { min: 1, max: 24 })
        : usualInterval
    })

  return {
    id: 'binance',
    async snapshot(coin) {
      const { symbol, units } = findContract(coin)
      const problems: Problem[] = []
      const settle = async <T>(field: string, asked: Promise<T>) => {
        const [result] = await Promise.allSettled([asked])
        return attemptField(problems, field, () => {
          if (result.status === 'rejected') throw result.reason
          return result.value
        })
      }
      const [prices, openInterest, intervalHours] = await Promise.all([
        ask({ path: `/fapi/v1/premiumIndex?symbol=${symbol}`, seconds: keepSeconds.now }, (answer, now) => {
          const record = readOwn(answer, symbol)
          return { record: record, at: readTime(record.time, now) }
        }),
        settle(
          'open_interest',
          ask({ path: `/fapi/v1/openInterest?symbol=${symbol}`, seconds: keepSeconds.now }, (answer, now) => {
            const { openInterest, time } = readOwn(answer, symbol)
            return { value: readAmount(openInterest, 'open interest') * units, at: readTime(time, now) }
          }),
        ),
        settle('funding_interval_hours', askInterval(symbol)),
      ])
      const { record, at } = prices
      return {
        ...compact({
          mark: attemptField(problems, 'mark_price', () => ({
            value: readPrice(record.markPrice, 'mark price') / units,
            at,
          })),
          index: attemptField(problems, 'index_price', () => ({
            value: readPrice(record.indexPrice, 'index price') / units,
            at,
          })),
          fundingRate: attemptField(problems, 'funding_rate', () => ({
            value: readRate(record.lastFundingRate),
            at,
          })),
          intervalHours,
          openInterest,
        }),
        problems,
      }
    },
    fundingHistory(coin) {
      const { symbol } = findContract(coin)
      return ask(
        { path: `/fapi/v1/fundingRate?symbol=${symbol}&limit=60`, seconds: keepSeconds.history },
        (answer, now) =>
          toHistory(readList(answer, 'its history'), row => {
            const { fundingTime, fundingRate } = asRecord(row)
            return { at: readTime(fundingTime, now), rate: readRate(fundingRate) }
          }),
      )
    },
    closes(coin) {
      const { symbol, units } = findContract(coin)
      return ask(
        {
          path: `/fapi/v1/klines?symbol=${symbol}&interval=1h&limit=${closeHours + 1}`,
          seconds: keepSeconds.hourly,
        },
        (answer, now) =>
          toCloses(readList(answer, 'its candles'), now, row => {
            const [start, , , , close] = asList(row)
            return { start: readTime(start, now), close: readPrice(close, 'close') / units }
          }),
      )
    },
  }
}
