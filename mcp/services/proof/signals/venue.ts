import { z } from 'zod'
import { settings } from '../../../kernel/setting.ts'
import type { JsonRecord } from '../../../lib/json.ts'
import { absoluteUrl, list } from '../../../lib/setting-texts.ts'

export const venueIds = ['hyperliquid', 'binance', 'bybit', 'okx', 'deribit'] as const

export type VenueId = (typeof venueIds)[number]

const address = <const variable extends string>(variable: variable, name: string, url: string) => ({
  variable,
  schema: absoluteUrl,
  description: `Public market data of ${name}.`,
  default: url,
})

export const signalSettings = settings({
  venueOrder: {
    variable: 'PROOF_VENUES',
    schema: list.pipe(z.array(z.enum(venueIds)).min(1)).transform(ids => [...new Set(ids)]),
    description:
      'Venues that market signals are read from, in order of preference: hyperliquid, binance, bybit, okx, deribit.',
    default: venueIds.join(','),
  },
  hyperliquid: address('PROOF_HYPERLIQUID_URL', 'Hyperliquid', 'https://api.hyperliquid.xyz'),
  binance: address('PROOF_BINANCE_URL', 'Binance futures', 'https://fapi.binance.com'),
  bybit: address('PROOF_BYBIT_URL', 'Bybit', 'https://api.bybit.com'),
  okx: address('PROOF_OKX_URL', 'OKX', 'https://www.okx.com'),
  deribit: address('PROOF_DERIBIT_URL', 'Deribit', 'https://www.deribit.com'),
})

export const coins = [
  'BTC',
  'ETH',
  'SOL',
  'XRP',
  'BNB',
  'DOGE',
  'ADA',
  'AVAX',
  'LINK',
  'LTC',
  'SUI',
  'PEPE',
] as const

export type Coin = (typeof coins)[number]

/** A venue's value, and the milliseconds since 1970 that it is of. */
export type VenueSample = { value: number; at: number }

/** Why a venue does not tell something. Its own words are never repeated. */
export type Problem = { field: string; reason: string }

/**
 * What a perpetual is like now. Prices in USD for one coin, `fundingRate` for one interval of `intervalHours`, open interest in coins.
 * What is missing is among the problems.
 */
export type PerpetualSnapshot = {
  mark?: VenueSample
  index?: VenueSample
  fundingRate?: VenueSample
  intervalHours?: number
  openInterest?: VenueSample
  problems: readonly Problem[]
}

/** A funding rate that was paid at `at`, for the interval before. */
export type FundingPoint = { at: number; rate: number }

/** The hour that begins at `start`, which is over. */
export type HourClose = { start: number; close: number }

/** One perpetual in a look at all of them. */
export type MarketRow = {
  symbol: string
  mark: number
  /** Of a day before, in USD. */
  previous: number
  volumeUsd: number
  fundingApr: number
  openInterestUsd: number
}

/** Reads one answer. It is read once and kept for `seconds`; `now` is when it came. Throws a VenueFault. */
export type ReadVenue = <T>(
  request: { path: string; body?: JsonRecord; seconds: number },
  read: (answer: unknown, now: number) => T,
) => Promise<T>

/** The public market data of one venue. All of it throws a VenueFault. */
export type Venue = {
  id: VenueId
  snapshot(coin: Coin): Promise<PerpetualSnapshot>
  /** Those of the last two days and before, oldest first. */
  fundingHistory(coin: Coin): Promise<FundingPoint[]>
  /** Up to 30 days and an hour, oldest first, without a gap up to the last one. */
  closes(coin: Coin): Promise<HourClose[]>
  /** All of its linear perpetuals. */
  markets?(): Promise<{ rows: MarketRow[]; at: number }>
  /** Volatility index of a coin over the last day, oldest first. */
  volatilityIndex?(coin: Coin): Promise<VenueSample[]>
}

/** A venue does not tell something; `message` is ours and fit for callers. */
export class VenueFault extends Error {
  override readonly name = 'VenueFault'
}

export const hourMs = 3_600_000

/** Seconds that answers are kept: what changes with each trade, each hour and each interval; and that a failure is. */
export const keepSeconds = { now: 20, hourly: 120, history: 300, failure: 15 } as const

/** Hours of closes that are asked for: 30 days of returns. */
export const closeHours = 30 * 24 + 1
