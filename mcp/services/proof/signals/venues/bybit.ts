import { asList, asRecord } from '../../../../lib/json.ts'
import {
  attemptField,
  compact,
  readAmount,
  readFirst,
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
  type MarketRow,
  type Problem,
  type ReadVenue,
  type Venue,
  VenueFault,
} from '../venue.ts'

const contracts: Partial<Record<Coin, { symbol: string; units: number }>> = {
  PEPE: { symbol: '1000PEPEUSDT', units: 1000 },
}

const findContract = (coin: Coin) => contracts[coin] ?? { symbol: `${coin}USDT`, units: 1 }

/** `{ retCode, retMsg, result: { list }, time }`; failures come with status 200. */
const readAnswer = (answer: unknown, now: number) => {
  const { retCode, result, time } = readRecord(answer, 'its answer')
  if (retCode === 10001) throw new VenueFault('it does not list the coin')
  if (retCode !== 0) throw new VenueFault('it answers with a failure')
  return { list: readList(readRecord(result, 'its result').list, 'its list'), at: readTime(time, now) }
}

const toRow = (given: unknown): MarketRow => {
  const row = asRecord(given)
  const mark = readPrice(row.markPrice, 'mark price')
  const interval = readNumber(row.fundingIntervalHour, 'funding interval', { min: 1, max: 24 })
  return {
    symbol: String(row.symbol),
    mark,
    previous: readPrice(row.prevPrice24h, 'price of the day before'),
    volumeUsd: readAmount(row.turnover24h, 'turnover'),
    fundingApr: ((readRate(row.fundingRate) * 24) / interval) * 365,
    openInterestUsd: readAmount(row.openInterestValue, 'open interest'),
  }
}

/** Bybit version 5, linear perpetuals in USDT. Lists begin with the newest. */
export const openBybit = (ask: ReadVenue): Venue => ({
  id: 'bybit',
  snapshot(coin) {
    const { symbol, units } = findContract(coin)
    return ask(
      { path: `/v5/market/tickers?category=linear&symbol=${symbol}`, seconds: keepSeconds.now },
      (answer, now) => {
        const { list, at } = readAnswer(answer, now)
        const row = readFirst(list, 'its ticker')
        if (row.symbol !== symbol) throw new VenueFault('it answers about another symbol')
        const problems: Problem[] = []
        return {
          ...compact({
            mark: attemptField(problems, 'mark_price', () => ({
              value: readPrice(row.markPrice, 'mark price') / units,
              at,
            })),
            index: attemptField(problems, 'index_price', () => ({
              value: readPrice(row.indexPrice, 'index price') / units,
              at,
            })),
            fundingRate: attemptField(problems, 'funding_rate', () => ({
              value: readRate(row.fundingRate),
              at,
            })),
            intervalHours: attemptField(problems, 'funding_interval_hours', () =>
              readNumber(row.fundingIntervalHour, 'funding interval', { min: 1, max: 24 }),
            ),
            openInterest: attemptField(problems, 'open_interest', () => ({
              value: readAmount(row.openInterest, 'open interest') * units,
              at,
            })),
          }),
          problems,
        }
      },
    )
  },
  fundingHistory(coin) {
    const { symbol } = findContract(coin)
    return ask(
      {
        path: `/v5/market/funding/history?category=linear&symbol=${symbol}&limit=60`,
        seconds: keepSeconds.history,
      },
      (answer, now) =>
        toHistory(readAnswer(answer, now).list, row => {
          const { fundingRateTimestamp, fundingRate } = asRecord(row)
          return { at: readTime(fundingRateTimestamp, now), rate: readRate(fundingRate) }
        }),
    )
  },
  closes(coin) {
    const { symbol, units } = findContract(coin)
    return ask(
      {
        path: `/v5/market/kline?category=linear&symbol=${symbol}&interval=60&limit=${closeHours + 1}`,
        seconds: keepSeconds.hourly,
      },
      (answer, now) =>
        toCloses(readAnswer(answer, now).list, now, row => {
          const [start, , , , close] = asList(row)
          return { start: readTime(start, now), close: readPrice(close, 'close') / units }
        }),
    )
  },
  markets: () =>
    ask({ path: '/v5/market/tickers?category=linear', seconds: keepSeconds.now }, (answer, now) => {
      const { list, at } = readAnswer(answer, now)
      const problems: Problem[] = []
      return { rows: list.flatMap(row => attemptField(problems, 'row', () => toRow(row)) ?? []), at }
    }),
})
