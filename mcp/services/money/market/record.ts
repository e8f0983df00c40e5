import { ToolError } from '../../../kernel/error.ts'
import type { WindowListing } from './listing.ts'
import type { SourcedTick, TwapSource } from './twap-source.ts'
import { nextWindow, type Window } from './window.ts'

export type MarketDeps = {
  signal: AbortSignal
  /** The window as the market lists it; undefined where it does not. */
  findListing(window: Window): Promise<WindowListing | undefined>
  /** What the market pays for each outcome; null where it does not say. */
  findPrices(tokens: WindowListing['tokens']): Promise<{ up: string; down: string } | null>
  /** True where all of it is made up. */
  simulated: boolean
  /** Undefined where no socket is configured. */
  twaps: TwapSource | undefined
  now: () => number
}

/** A live price older than this is none. */
const maxAgeMs = 10_000

const requireListing = async (deps: MarketDeps, window: Window): Promise<WindowListing> => {
  const listing = await deps.findListing(window)
  if (listing) return listing
  throw new ToolError('not_found', `The market does not list ${window.slug}.`, {
    reason: 'not_listed',
    hint: 'Windows are listed about a day ahead.',
    next: ['price_windows'],
  })
}

const requireTwaps = ({ twaps }: MarketDeps): TwapSource => {
  if (twaps) return twaps
  throw new ToolError(
    'unavailable',
    'Live prices are off here: MONEY_TWAP_CREDENTIALS is not set. Windows that are over can be asked for with start.',
    { reason: 'no_live_prices' },
  )
}

const requirePriceToBeat = async (deps: MarketDeps, window: Window): Promise<SourcedTick> => {
  const average = await requireTwaps(deps).averageAt(window, deps.signal)
  if (average) return average
  const age = deps.now() / 1000 - window.start
  if (age < 3)
    throw new ToolError('unavailable', 'The window has just begun; its price to beat comes within seconds.', {
      reason: 'not_yet_known',
      retryAfter: 2,
    })
  throw new ToolError('unavailable', 'The price to beat of this window was not heard here when it began.', {
    reason: 'not_observed',
    hint: `Nothing is charged. The next window begins in ${Math.ceil(window.end - deps.now() / 1000)} s.`,
    retryAfter: Math.max(1, window.end - deps.now() / 1000),
  })
}

const requireLivePrice = (deps: MarketDeps, { asset }: Window): SourcedTick => {
  const live = requireTwaps(deps).latest(asset)
  if (live && deps.now() - live.at <= maxAgeMs) return live
  throw new ToolError('unavailable', 'The live price is not known just now.', {
    reason: 'no_live_price',
    retryAfter: 5,
  })
}

/** Decimal texts as integers of one scale; prices have 30 digits after the point at most. */
const scale = 30
const toUnits = (price: string): bigint => {
  const [whole = '0', part = ''] = price.split('.')
  return BigInt(whole + part.padEnd(scale, '0'))
}
const toDecimal = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const part = digits.slice(-scale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}${part ? `.${part}` : ''}`
}

/** How far a price is above another one, exactly, and in hundredths of a percent with two digits. */
const computeDistance = (price: string, base: string): { absolute: string; bps: string } => {
  const [above, of] = [toUnits(price) - toUnits(base), toUnits(base)]
  const hundredths = (above * 1_000_000n) / of
  return {
    absolute: toDecimal(above),
    bps: (Number(hundredths) / 100).toFixed(2),
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

const identity = ({ asset, window, slug, start, end }: Window) => ({
  asset,
  window,
  slug,
  start,
  end,
})

const notSettled = () =>
  new ToolError('not_found', 'The market has not told the outcome of this window.', {
    reason: 'not_settled',
    hint: 'Nothing is charged. Outcomes come minutes after the end; some are never told.',
  })

/** Reads what a window that is over had to beat, and how it ended. Throws `not_found` where the market has not told. */
const readSettled = async (deps: MarketDeps, window: Window) => {
  const listing = await requireListing(deps, window)
  if (!listing.isClosed || !listing.outcome) throw notSettled()
  const { averageAt } = deps.twaps ?? { averageAt: async () => undefined }
  const own = listing.priceToBeat === null ? await averageAt(window, deps.signal) : undefined
  const last = listing.finalPrice === null ? await averageAt(nextWindow(window), deps.signal) : undefined
  const priceToBeat = listing.priceToBeat ?? own?.price
  const finalPrice = listing.finalPrice ?? last?.price
  if (priceToBeat === undefined || finalPrice === undefined) throw notSettled()
  return { listing, priceToBeat, finalPrice, outcome: listing.outcome, source: own?.source ?? 'market' }
}

/** True when a window is over. */
const isOver = ({ end }: Window, { now }: MarketDeps): boolean => end <= now() / 1000

/** Throws what a sale of the record would be refused with. Nothing else is asked than that needs. */
export const requireRecord = async (deps: MarketDeps, window: Window): Promise<void> => {
  if (isOver(window, deps)) {
    await readSettled(deps, window)
    return
  }
  requireLivePrice(deps, window)
  await Promise.all([requirePriceToBeat(deps, window), requireListing(deps, window)])
}

/** The price to beat of a window that runs, or the outcome of one that is over. */
export const readWindowRecord = async (deps: MarketDeps, window: Window) => {
  if (isOver(window, deps)) {
    const { listing, priceToBeat, finalPrice, outcome, source } = await readSettled(deps, window)
    return {
      status: 'settled' as const,
      simulated: deps.simulated,
      ...identity(window),
      seconds_left: 0,
      price_to_beat: { value: priceToBeat, observed_at: iso(window.start * 1000), source },
      oracle: null,
      distance: computeDistance(finalPrice, priceToBeat),
      tokens: listing.tokens,
      market_prices: null,
      final_price: finalPrice,
      outcome,
    }
  }
  const [beat, { tokens }] = await Promise.all([
    requirePriceToBeat(deps, window),
    requireListing(deps, window),
  ])
  const marketPrices = await deps.findPrices(tokens)
  // Asked for last, so that it is the newest there is.
  const live = requireLivePrice(deps, window)
  return {
    status: 'live' as const,
    simulated: deps.simulated,
    ...identity(window),
    seconds_left: Math.max(0, Math.ceil(window.end - deps.now() / 1000)),
    price_to_beat: { value: beat.price, observed_at: iso(beat.at), source: beat.source },
    oracle: { price: live.price, at: iso(live.at) },
    distance: computeDistance(live.price, beat.price),
    tokens,
    market_prices: marketPrices,
    final_price: null,
    outcome: null,
  }
}

/** A window for a list: whether the market lists it, and whether its price to beat could be sold now. */
export const readWindow = async (deps: MarketDeps, window: Window, isCurrent: boolean) => {
  const listing = await deps.findListing(window)
  const average = isCurrent && deps.twaps ? await deps.twaps.averageAt(window, deps.signal) : undefined
  const live = deps.twaps?.latest(window.asset)
  const isLive = live !== undefined && deps.now() - live.at <= maxAgeMs
  return {
    ...identity(window),
    starts_at: iso(window.start * 1000),
    listed: listing !== undefined,
    tokens: listing?.tokens ?? null,
    price_known: listing !== undefined && average !== undefined && isLive,
  }
}
