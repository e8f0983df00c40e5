import { asList, asRecord } from '../../../../lib/json.ts'
import { dayMs } from '../../../../lib/time.ts'
import {
  attemptField,
  compact,
  readAmount,
  readList,
  readPrice,
  readRate,
  readRecord,
  readTime,
  startOfHour,
  toCloses,
  toHistory,
} from '../read.ts'
import {
  type Coin,
  closeHours,
  hourMs,
  keepSeconds,
  type Problem,
  type ReadVenue,
  type Venue,
  VenueFault,
  type VenueSample,
} from '../venue.ts'

/** BTC and ETH are inverse: open interest is in USD. Others are linear in USDC: it is in coins. */
const isInverse = (coin: Coin) => coin === 'BTC' || coin === 'ETH'

const toInstrument = (coin: Coin) => (isInverse(coin) ? `${coin}-PERPETUAL` : `${coin}_USDC-PERPETUAL`)

const readResult = (answer: unknown): unknown => {
  const record = readRecord(answer, 'its answer')
  if (record.error !== undefined) {
    const { code } = asRecord(record.error)
    throw new VenueFault(
      code === -32602 || code === 13020 ? 'it does not list the coin' : 'it answers with a failure',
    )
  }
  return record.result
}

/** Deribit version 2. `funding_8h` is the rate of the last eight hours; numbers are numbers. */
export const openDeribit = (ask: ReadVenue, now: () => number): Venue => ({
  id: 'deribit',
  snapshot(coin) {
    const instrument = toInstrument(coin)
    return ask(
      { path: `/api/v2/public/ticker?instrument_name=${instrument}`, seconds: keepSeconds.now },
      (answer, now) => {
        const row = readRecord(readResult(answer), 'its ticker')
        if (row.instrument_name !== instrument) throw new VenueFault('it answers about another instrument')
        const at = readTime(row.timestamp, now)
        const problems: Problem[] = []
        const mark = attemptField(problems, 'mark_price', () => readPrice(row.mark_price, 'mark price'))
        return {
          ...compact({
            mark: mark === undefined ? undefined : { value: mark, at },
            index: attemptField(problems, 'index_price', () => ({
              value: readPrice(row.index_price, 'index price'),
              at,
            })),
            fundingRate: attemptField(problems, 'funding_rate', () => ({
              value: readRate(row.funding_8h),
              at,
            })),
            openInterest: attemptField(problems, 'open_interest', () => {
              const amount = readAmount(row.open_interest, 'open interest')
              if (!isInverse(coin)) return { value: amount, at }
              if (mark === undefined) throw new VenueFault('its open interest is in USD, and it has no price')
              return { value: amount / mark, at }
            }),
          }),
          intervalHours: 8,
          problems,
        }
      },
    )
  },
  fundingHistory(coin) {
    const end = startOfHour(now())
    return ask(
      {
        path: `/api/v2/public/get_funding_rate_history?instrument_name=${toInstrument(coin)}&start_timestamp=${end - 2 * dayMs}&end_timestamp=${end}`,
        seconds: keepSeconds.history,
      },
      (answer, now) =>
        toHistory(readList(readResult(answer), 'its history'), row => {
          const { timestamp, interest_1h } = asRecord(row)
          return { at: readTime(timestamp, now), rate: readRate(interest_1h) }
        }),
    )
  },
  closes(coin) {
    const end = startOfHour(now())
    return ask(
      {
        path: `/api/v2/public/get_tradingview_chart_data?instrument_name=${toInstrument(coin)}&start_timestamp=${end - closeHours * hourMs}&end_timestamp=${end}&resolution=60`,
        seconds: keepSeconds.hourly,
      },
      (answer, now) => {
        const { ticks, close } = readRecord(readResult(answer), 'its chart')
        const starts = readList(ticks, 'its ticks')
        const closes = readList(close, 'its closes')
        if (starts.length !== closes.length) throw new VenueFault('its two lists are not of one length')
        return toCloses(
          starts.map((start, index) => [start, closes[index]]),
          now,
          row => {
            const [start, price] = asList(row)
            return { start: readTime(start, now), close: readPrice(price, 'close') }
          },
        )
      },
    )
  },
  volatilityIndex(coin) {
    const end = startOfHour(now())
    return ask(
      {
        path: `/api/v2/public/get_volatility_index_data?currency=${coin}&start_timestamp=${end - dayMs - hourMs}&end_timestamp=${end + hourMs}&resolution=3600`,
        seconds: keepSeconds.hourly,
      },
      (answer, now) => {
        const { data } = readRecord(readResult(answer), 'its index')
        const rows = readList(data, 'its data').map((row): VenueSample => {
          const [at, , , , close] = asList(row)
          return { at: readTime(at, now), value: readAmount(close, 'volatility index') }
        })
        if (rows.length === 0) throw new VenueFault('it has no volatility index of the coin')
        return rows.sort((a, b) => a.at - b.at)
      },
    )
  },
})
