import { dayMs } from '../../../lib/time.ts'
import {
  basisBps,
  median,
  realizedVolatility,
  regimeCloses,
  toAnnual,
  toEightHours,
  volatilityRegime,
} from './statistics.ts'
import {
  type Coin,
  type FundingPoint,
  type HourClose,
  hourMs,
  type PerpetualSnapshot,
  type Venue,
  VenueFault,
  type VenueId,
  type VenueSample,
} from './venue.ts'

/** A number with where it is from and how old it is. */
export type Reading<value = number> = {
  value: value
  source: VenueId
  as_of: string
  age_seconds: number
  stale: boolean
}

export type Failed = { coin: Coin; field: string; source: VenueId | null; reason: string }

type Fields =
  | 'mark_price_usd'
  | 'index_price_usd'
  | 'basis_bps'
  | 'funding_rate_8h'
  | 'funding_apr'
  | 'funding_interval_hours'
  | 'funding_delta_24h'
  | 'open_interest_coins'
  | 'open_interest_usd'
  | 'realized_vol_24h'
  | 'realized_vol_7d'
  | 'realized_vol_30d'
  | 'return_24h'
  | 'return_7d'
  | 'vol_expansion'
  | 'dvol'
  | 'dvol_change_24h'
  | 'variance_premium'

export type VenueRow = {
  venue: VenueId
  mark_price_usd: number | null
  basis_bps: number | null
  funding_rate_8h: number | null
  open_interest_usd: number | null
  as_of: string
  age_seconds: number
}

export type CoinSignals = { coin: Coin } & { [field in Fields]: Reading | null } & {
  vol_regime: Reading<'expansion' | 'contraction' | 'neutral'> | null
  venues: VenueRow[]
}

/** Milliseconds after which a number is called stale, and after which it is not given at all. */
const limits = {
  now: { stale: 120_000, none: hourMs },
  hourly: { stale: 2.5 * hourMs, none: 5 * hourMs },
} as const

/** Further from the median of the others, a price is not believed. */
const maxPriceGap = 0.05
const maxBasisBps = 2000

const explainFailure = (error: unknown): string => {
  if (error instanceof VenueFault) return error.message
  throw error
}

type Kind = keyof typeof limits

const reader = (now: number) => {
  const toReading = <value>(source: VenueId, value: value, at: number, kind: Kind): Reading<value> => ({
    value,
    source,
    as_of: new Date(Math.min(at, now)).toISOString(),
    age_seconds: Math.max(0, Math.floor((now - at) / 1000)),
    stale: now - at > limits[kind].stale,
  })
  return { read: toReading, isTooOld: (at: number, kind: Kind) => now - at > limits[kind].none }
}

type Quoted = { id: VenueId; venue: Venue; snapshot: PerpetualSnapshot }

/** Venues whose price is far from that of the others; nobody can tell with fewer than three. */
const findOutliers = (quotes: readonly Quoted[]): Set<VenueId> => {
  const marks = quotes.flatMap(({ snapshot: { mark } }) => (mark ? [mark.value] : []))
  const middle = median(marks)
  if (marks.length < 3 || middle === undefined) return new Set()
  const isFar = ({ snapshot: { mark } }: Quoted) =>
    mark !== undefined && Math.abs(mark.value / middle - 1) > maxPriceGap
  return new Set(quotes.filter(isFar).map(({ id }) => id))
}

/** The rate that was paid a day ago, as one of eight hours; the gap to the point before tells its interval. */
const rateOfYesterday = (points: readonly FundingPoint[], now: number): number => {
  const index = points.findLastIndex(({ at }) => at <= now - dayMs)
  const point = points[index]
  const before = points[index - 1]
  if (!point || !before || point.at < now - dayMs - 9 * hourMs)
    throw new VenueFault('its history does not reach back a day')
  const hours = Math.max(1, Math.round((point.at - before.at) / hourMs))
  if (hours > 24) throw new VenueFault('its history has a gap')
  return toEightHours(point.rate, hours)
}

const windows = [
  ['realized_vol_24h', 25],
  ['realized_vol_7d', 169],
  ['realized_vol_30d', 721],
] as const

const returns = [
  ['return_24h', 24],
  ['return_7d', 168],
] as const

const empty = (coin: Coin): CoinSignals => ({
  coin,
  mark_price_usd: null,
  index_price_usd: null,
  basis_bps: null,
  funding_rate_8h: null,
  funding_apr: null,
  funding_interval_hours: null,
  funding_delta_24h: null,
  open_interest_coins: null,
  open_interest_usd: null,
  return_24h: null,
  return_7d: null,
  realized_vol_24h: null,
  realized_vol_7d: null,
  realized_vol_30d: null,
  vol_expansion: null,
  vol_regime: null,
  dvol: null,
  dvol_change_24h: null,
  variance_premium: null,
  venues: [],
})

/** The best closes: the first venue that has those of 30 days, else the one that has most. */
const readCloses = async (
  coin: Coin,
  venues: readonly Venue[],
  fail: (field: string, source: VenueId, reason: string) => void,
): Promise<{ id: VenueId; closes: HourClose[] } | undefined> => {
  let best: { id: VenueId; closes: HourClose[] } | undefined
  for (const { id, closes } of venues) {
    try {
      const hours = await closes(coin)
      if (hours.length > (best?.closes.length ?? 0)) best = { id, closes: hours }
      if (hours.length >= 721) break
    } catch (error) {
      fail('closes', id, explainFailure(error))
    }
  }
  return best
}

type Result = { signals: CoinSignals; failed: Failed[] }

/**
 * What the venues say of a coin. Each number is of the first venue that has it, with a fresh one before a stale one; what nobody has
 * is null, and why is among the failures.
 */
export const readCoin = async (coin: Coin, venues: readonly Venue[], now: number): Promise<Result> => {
  const failed: Failed[] = []
  const fail = (field: string, source: VenueId | null, reason: string) => {
    failed.push({ coin, field, source, reason })
  }
  const { read: toReading, isTooOld } = reader(now)
  const signals = empty(coin)
  const withVolatilityIndex = venues.find(({ volatilityIndex }) => volatilityIndex !== undefined)
  const hasVolatilityIndex = coin === 'BTC' || coin === 'ETH'

  const [answers, closes, index] = await Promise.all([
    Promise.allSettled(venues.map(venue => venue.snapshot(coin))),
    readCloses(coin, venues, fail),
    hasVolatilityIndex
      ? withVolatilityIndex?.volatilityIndex?.(coin).catch((error: unknown) => {
          fail('dvol', withVolatilityIndex.id, explainFailure(error))
          return undefined
        })
      : undefined,
  ])

  const quotes = venues.flatMap((venue, nth): Quoted[] => {
    const answer = answers[nth]
    if (answer?.status !== 'fulfilled') {
      fail('ticker', venue.id, explainFailure(answer?.reason))
      return []
    }
    for (const { field, reason } of answer.value.problems) fail(field, venue.id, reason)
    return [{ id: venue.id, venue, snapshot: answer.value }]
  })
  const outliers = findOutliers(quotes)
  for (const id of outliers) fail('ticker', id, 'its price is far from that of the other venues')
  const believed = quotes.filter(({ id }) => !outliers.has(id))

  /** The freshest that comes first in the order of venues. */
  const choose = (field: string, pick: (snapshot: PerpetualSnapshot) => VenueSample | undefined) => {
    const usable = believed.flatMap(quoted => {
      const sample = pick(quoted.snapshot)
      if (!sample) return []
      if (isTooOld(sample.at, 'now')) {
        fail(field, quoted.id, 'what it says is more than an hour old')
        return []
      }
      return [{ ...quoted, sample }]
    })
    const fresh = usable.find(({ sample }) => now - sample.at <= limits.now.stale)
    const chosen = fresh ?? usable[0]
    if (!chosen) fail(field, null, 'no venue tells it')
    return chosen
  }

  const mark = choose('mark_price_usd', snapshot => snapshot.mark)
  if (mark) signals.mark_price_usd = toReading(mark.id, mark.sample.value, mark.sample.at, 'now')
  const indexPrice = choose('index_price_usd', snapshot => snapshot.index)
  if (indexPrice)
    signals.index_price_usd = toReading(indexPrice.id, indexPrice.sample.value, indexPrice.sample.at, 'now')

  const toBasis = ({ mark, index }: PerpetualSnapshot): VenueSample | undefined => {
    if (!mark || !index) return undefined
    const value = basisBps(mark.value, index.value)
    return Math.abs(value) > maxBasisBps ? undefined : { value, at: Math.min(mark.at, index.at) }
  }
  const basis = choose('basis_bps', toBasis)
  if (basis) signals.basis_bps = toReading(basis.id, basis.sample.value, basis.sample.at, 'now')

  const interest = choose('open_interest_coins', snapshot => snapshot.openInterest)
  if (interest) {
    const { id, sample, snapshot } = interest
    signals.open_interest_coins = toReading(id, sample.value, sample.at, 'now')
    const price = snapshot.mark ?? mark?.sample
    if (price)
      signals.open_interest_usd = toReading(
        id,
        sample.value * price.value,
        Math.min(sample.at, price.at),
        'now',
      )
  }

  const funding = choose('funding_rate_8h', ({ fundingRate, intervalHours }) =>
    intervalHours === undefined ? undefined : fundingRate,
  )
  if (funding) {
    const { id, sample, venue } = funding
    const hours = funding.snapshot.intervalHours ?? 8
    const current = toEightHours(sample.value, hours)
    signals.funding_rate_8h = toReading(id, current, sample.at, 'now')
    signals.funding_apr = toReading(id, toAnnual(sample.value, hours), sample.at, 'now')
    signals.funding_interval_hours = toReading(id, hours, sample.at, 'now')
    try {
      const before = rateOfYesterday(await venue.fundingHistory(coin), now)
      signals.funding_delta_24h = toReading(id, current - before, sample.at, 'now')
    } catch (error) {
      fail('funding_delta_24h', id, explainFailure(error))
    }
  } else fail('funding_delta_24h', null, 'no venue tells the funding rate')

  if (closes) {
    const prices = closes.closes.map(({ close }) => close)
    const at = (closes.closes.at(-1)?.start ?? 0) + hourMs
    const last = prices.at(-1) ?? 0
    for (const [field, count] of windows) {
      const value = prices.length >= count ? realizedVolatility(prices.slice(-count)) : undefined
      if (value === undefined)
        fail(field, closes.id, `it has only ${prices.length} closes in a row of ${count}`)
      else signals[field] = toReading(closes.id, value, at, 'hourly')
    }
    for (const [field, hours] of returns) {
      const before = prices.at(-1 - hours)
      if (before === undefined) fail(field, closes.id, `it has only ${prices.length} closes in a row`)
      else signals[field] = toReading(closes.id, last / before - 1, at, 'hourly')
    }
    const regime = volatilityRegime(prices)
    if (regime) {
      signals.vol_expansion = toReading(closes.id, regime.ratio, at, 'hourly')
      signals.vol_regime = toReading(closes.id, regime.regime, at, 'hourly')
    } else fail('vol_regime', closes.id, `insufficient data: ${prices.length} closes of ${regimeCloses}`)
  } else
    for (const [field] of [...windows, ...returns, ['vol_regime']])
      fail(field ?? '', null, 'no venue has candles')

  if (hasVolatilityIndex) readIndex()

  function readIndex() {
    if (!withVolatilityIndex) return fail('dvol', null, 'no venue with a volatility index is configured')
    const first = index?.[0]
    const lastSample = index?.at(-1)
    if (!first || !lastSample) return
    const { id } = withVolatilityIndex
    if (isTooOld(lastSample.at, 'hourly')) return fail('dvol', id, 'what it says is hours old')
    signals.dvol = toReading(id, lastSample.value, lastSample.at, 'hourly')
    if (lastSample.at - first.at >= 20 * hourMs)
      signals.dvol_change_24h = toReading(id, lastSample.value - first.value, lastSample.at, 'hourly')
    else fail('dvol_change_24h', id, 'its index does not reach back a day')
    const realized = signals.realized_vol_30d
    if (realized)
      signals.variance_premium = toReading(
        id,
        lastSample.value - realized.value * 100,
        lastSample.at,
        'hourly',
      )
    else fail('variance_premium', id, 'there is no realized volatility of 30 days')
  }

  signals.venues = believed.map(({ id, snapshot }): VenueRow => {
    const { mark, fundingRate, intervalHours, openInterest } = snapshot
    const at = Math.min(
      ...[mark, fundingRate, openInterest].flatMap(sample => (sample ? [sample.at] : [])),
      now,
    )
    return {
      venue: id,
      mark_price_usd: mark?.value ?? null,
      basis_bps: toBasis(snapshot)?.value ?? null,
      funding_rate_8h:
        fundingRate && intervalHours !== undefined ? toEightHours(fundingRate.value, intervalHours) : null,
      open_interest_usd: mark && openInterest ? openInterest.value * mark.value : null,
      as_of: new Date(at).toISOString(),
      age_seconds: Math.max(0, Math.floor((now - at) / 1000)),
    }
  })
  return { signals, failed }
}
