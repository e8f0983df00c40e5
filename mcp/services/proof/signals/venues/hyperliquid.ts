import { asRecord } from '../../../../lib/json.ts'
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
  type MarketRow,
  type PerpetualSnapshot,
  type Problem,
  type ReadVenue,
  type Venue,
  VenueFault,
} from '../venue.ts'

/** Cheap coins are traded by the thousand. */
const contracts: Partial<Record<Coin, { name: string; units: number }>> = {
  PEPE: { name: 'kPEPE', units: 1000 },
}

const findContract = (coin: Coin) => contracts[coin] ?? { name: coin, units: 1 }

type Market = { name: string; context: Readonly<Record<string, unknown>>; isDelisted: boolean }

/** `[{ universe: [{ name, … }] }, [{ funding, openInterest, … }]]`: two lists in the same order. */
const readMarkets = (answer: unknown): Market[] => {
  const [meta, contexts] = readList(answer, 'its answer')
  const universe = readList(readRecord(meta, 'its meta').universe, 'its universe')
  const list = readList(contexts, 'its contexts')
  if (universe.length !== list.length) throw new VenueFault('its two lists are not of one length')
  return universe.map((entry, index) => {
    const { name, isDelisted } = asRecord(entry)
    return { name: String(name), context: asRecord(list[index]), isDelisted: isDelisted === true }
  })
}

/** Funding is hourly, open interest in coins; nothing says of when it is, so it is of when it came. */
const toSnapshot = ({ context }: Market, units: number, at: number): PerpetualSnapshot => {
  const problems: Problem[] = []
  const price = (name: string, value: unknown) =>
    attemptField(problems, name, () => ({ value: readPrice(value, name) / units, at }))
  return {
    ...compact({
      mark: price('mark_price', context.markPx),
      index: price('index_price', context.oraclePx),
      fundingRate: attemptField(problems, 'funding_rate', () => ({ value: readRate(context.funding), at })),
      openInterest: attemptField(problems, 'open_interest', () => ({
        value: readAmount(context.openInterest, 'open interest') * units,
        at,
      })),
    }),
    intervalHours: 1,
    problems,
  }
}

const toRow = ({ name, context }: Market): MarketRow => {
  const mark = readPrice(context.markPx, 'mark price')
  return {
    symbol: name,
    mark,
    previous: readPrice(context.prevDayPx, 'price of the day before'),
    volumeUsd: readAmount(context.dayNtlVlm, 'volume'),
    fundingApr: readRate(context.funding) * 24 * 365,
    openInterestUsd: readAmount(context.openInterest, 'open interest') * mark,
  }
}

/** Hyperliquid: one POST /info for everything. */
export const openHyperliquid = (ask: ReadVenue, now: () => number): Venue => {
  const info = <T>(
    body: Record<string, unknown>,
    seconds: number,
    read: (answer: unknown, now: number) => T,
  ) => ask({ path: '/info', body, seconds }, read)
  const markets = () =>
    info({ type: 'metaAndAssetCtxs' }, keepSeconds.now, (answer, now) => ({
      list: readMarkets(answer).filter(({ isDelisted }) => !isDelisted),
      now,
    }))

  return {
    id: 'hyperliquid',
    async snapshot(coin) {
      const { name, units } = findContract(coin)
      const { list, now } = await markets()
      const market = list.find(market => market.name === name)
      if (!market) throw new VenueFault('it does not list the coin')
      return toSnapshot(market, units, now)
    },
    fundingHistory: coin =>
      info(
        { type: 'fundingHistory', coin: findContract(coin).name, startTime: startOfHour(now()) - 2 * dayMs },
        keepSeconds.history,
        (answer, now) =>
          toHistory(readList(answer, 'its history'), row => {
            const { time, fundingRate } = asRecord(row)
            return { at: readTime(time, now), rate: readRate(fundingRate) }
          }),
      ),
    closes(coin) {
      const { name, units } = findContract(coin)
      const endTime = startOfHour(now())
      const startTime = endTime - closeHours * hourMs
      return info(
        { type: 'candleSnapshot', req: { coin: name, interval: '1h', startTime, endTime } },
        keepSeconds.hourly,
        (answer, now) =>
          toCloses(readList(answer, 'its candles'), now, row => {
            const { t, c } = asRecord(row)
            return { start: readTime(t, now), close: readPrice(c, 'close') / units }
          }),
      )
    },
    async markets() {
      const { list, now: at } = await markets()
      const problems: Problem[] = []
      const rows = list.flatMap(market => attemptField(problems, market.name, () => toRow(market)) ?? [])
      return { rows, at }
    },
  }
}
