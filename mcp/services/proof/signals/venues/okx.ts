import { asList, asRecord } from '../../../../lib/json.ts'
import {
  attemptField,
  compact,
  readAmount,
  readFirst,
  readList,
  readPrice,
  readRate,
  readRecord,
  readTime,
  toCloses,
  toHistory,
} from '../read.ts'
import {
  type Coin,
  hourMs,
  keepSeconds,
  type Problem,
  type ReadVenue,
  type Venue,
  VenueFault,
  type VenueSample,
} from '../venue.ts'

/** `{ code, msg, data }`; failures come with status 200. */
const readData = (answer: unknown): readonly unknown[] => {
  const { code, data } = readRecord(answer, 'its answer')
  if (code === '51001' || code === '51000') throw new VenueFault('it does not list the coin')
  if (code !== '0') throw new VenueFault('it answers with a failure')
  return readList(data, 'its data')
}

/** The answer gives two fundings that follow each other. */
const readInterval = (row: Readonly<Record<string, unknown>>): number => {
  const hours = (Number(row.nextFundingTime) - Number(row.fundingTime)) / hourMs
  if (!Number.isInteger(hours) || hours < 1 || hours > 24)
    throw new VenueFault('its funding interval is not in hours')
  return hours
}

const maxCandles = 300

/** OKX version 5, linear swaps in USDT. Contracts are of many sizes, so open interest is read in coins. */
export const openOkx = (ask: ReadVenue): Venue => {
  const swap = (coin: Coin) => `${coin}-USDT-SWAP`
  const row = (path: string, instrument: string) =>
    ask({ path, seconds: keepSeconds.now }, (answer, now) => {
      const first = readFirst(readData(answer), 'its row')
      if (first.instId !== instrument) throw new VenueFault('it answers about another instrument')
      return { row: first, at: readTime(first.ts, now) }
    })

  return {
    id: 'okx',
    async snapshot(coin) {
      const instrument = swap(coin)
      const index = `${coin}-USDT`
      const answers = await Promise.allSettled([
        row(`/api/v5/public/mark-price?instType=SWAP&instId=${instrument}`, instrument),
        row(`/api/v5/market/index-tickers?instId=${index}`, index),
        row(`/api/v5/public/funding-rate?instId=${instrument}`, instrument),
        row(`/api/v5/public/open-interest?instType=SWAP&instId=${instrument}`, instrument),
      ])
      const [first] = answers
      if (answers.every(({ status }) => status === 'rejected') && first.status === 'rejected')
        throw first.reason
      const problems: Problem[] = []
      const sample = (
        nth: 0 | 1 | 2 | 3,
        field: string,
        read: (row: Readonly<Record<string, unknown>>) => number,
      ): VenueSample | undefined =>
        attemptField(problems, field, () => {
          const answer = answers[nth]
          if (answer.status === 'rejected') throw answer.reason
          return { value: read(answer.value.row), at: answer.value.at }
        })
      return {
        ...compact({
          mark: sample(0, 'mark_price', ({ markPx }) => readPrice(markPx, 'mark price')),
          index: sample(1, 'index_price', ({ idxPx }) => readPrice(idxPx, 'index price')),
          fundingRate: sample(2, 'funding_rate', ({ fundingRate }) => readRate(fundingRate)),
          intervalHours: sample(2, 'funding_interval_hours', readInterval)?.value,
          openInterest: sample(3, 'open_interest', ({ oiCcy }) => readAmount(oiCcy, 'open interest')),
        }),
        problems,
      }
    },
    fundingHistory: coin =>
      ask(
        {
          path: `/api/v5/public/funding-rate-history?instId=${swap(coin)}&limit=60`,
          seconds: keepSeconds.history,
        },
        (answer, now) =>
          toHistory(readData(answer), row => {
            const { fundingTime, realizedRate, fundingRate } = asRecord(row)
            return { at: readTime(fundingTime, now), rate: readRate(realizedRate ?? fundingRate) }
          }),
      ),
    closes: coin =>
      ask(
        {
          path: `/api/v5/market/candles?instId=${swap(coin)}&bar=1H&limit=${maxCandles}`,
          seconds: keepSeconds.hourly,
        },
        (answer, now) =>
          toCloses(readData(answer), now, row => {
            const [start, , , , close] = asList(row)
            return { start: readTime(start, now), close: readPrice(close, 'close') }
          }),
      ),
  }
}
