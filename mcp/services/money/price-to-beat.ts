import { z } from 'zod'
import type { Context } from '../../kernel/tool.ts'
import { tool, usd } from '../../kernel/tool.ts'
import { moneySettings } from './config.ts'
import { findListing, findMarketPrices } from './market/listing.ts'
import { type MarketDeps, readWindowRecord, requireRecord } from './market/record.ts'
import { firstOf, localMarket, openingPrices, twaps } from './market/twaps.ts'
import { type Asset, assets, requireWindow, type WindowName, windowAt, windowNames } from './market/window.ts'

const needs = ['fetch', 'cache', 'clock', moneySettings.marketListings, moneySettings.marketPrices] as const
const wants = [twaps, openingPrices, localMarket] as const

type Ctx = Context<(typeof needs)[number], (typeof wants)[number]>

/** The deps of a market, from the context of a call: of the real one where a source of its prices is configured, else of that of local chains. */
export const toDeps = (ctx: Ctx): MarketDeps => {
  const { fetch, cache, clock, signal, marketListings, marketPrices, twaps, openingPrices, localMarket } = ctx
  const now = () => clock.now().getTime()
  const sources = [twaps, openingPrices].filter(source => source !== undefined)
  const local = sources.length === 0 ? localMarket?.market : undefined
  if (local)
    return {
      signal,
      findListing: async window => local.listing(window),
      findPrices: async () => null,
      simulated: true,
      twaps: local.twaps,
      now,
    }
  const deps = { fetch, cache, signal }
  return {
    signal,
    findListing: window => findListing({ ...deps, url: marketListings }, window),
    findPrices: tokens => findMarketPrices({ ...deps, url: marketPrices }, tokens),
    simulated: false,
    twaps: sources.length > 0 ? firstOf(sources) : undefined,
    now,
  }
}

/** Needs of the tools of the market. */
export const marketNeeds = { needs, wants }

type Input = { asset: Asset; window: WindowName; start?: number | undefined }

const toWindow = ({ asset, window, start }: Input, { now }: MarketDeps) =>
  start === undefined
    ? windowAt(asset, window, now() / 1000)
    : requireWindow(asset, window, start, now() / 1000)

export default tool({
  name: 'price_to_beat',
  title: 'Tell the price to beat',
  keywords: ['btc', 'bitcoin', 'polymarket', 'opening', 'target', 'strike'],
  description:
    'Tells the official price to beat of a crypto up-or-down market window that runs (60-second average before its start), the live oracle price and distance, seconds left, token ids and market prices; with start, the outcome of a window that is over. Costs 0.004 USDC on Base; what is not known is not charged.',
  input: z.object({
    asset: z.enum(assets).describe('Asset'),
    window: z.enum(windowNames).describe('Length of the window'),
    start: z
      .preprocess(
        value => (typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value),
        z.int(),
      )
      .optional()
      .describe('Start of a window, Unix seconds; without it the one that runs'),
  }),
  output: z.object({
    status: z.enum(['live', 'settled']).describe('Whether the window runs or is over'),
    asset: z.enum(assets).describe('Asset'),
    window: z.enum(windowNames).describe('Length of the window'),
    slug: z.string().describe('Name of the window at the market'),
    start: z.number().int().describe('Start, Unix seconds'),
    end: z.number().int().describe('End, Unix seconds'),
    seconds_left: z.number().int().describe('Seconds to the end; 0 when it is over'),
    price_to_beat: z
      .object({
        value: z.string().describe('Price in USD'),
        observed_at: z.string().describe('Stamp of the average, ISO 8601'),
        source: z.string().describe('Who told it'),
      })
      .describe('The average before the start; a tie is Up'),
    oracle: z
      .object({
        price: z.string().describe('Price in USD: the newest 60-second average'),
        at: z.string().describe('Its stamp, ISO 8601'),
      })
      .nullable()
      .describe('The live price; null when the window is over'),
    distance: z
      .object({
        absolute: z.string().describe('In USD, negative below'),
        bps: z.string().describe('In hundredths of a percent of the price to beat'),
      })
      .describe('How far the live, or the final, price is above the price to beat'),
    tokens: z
      .object({
        up: z.string().describe('Token that pays for Up'),
        down: z.string().describe('Token that pays for Down'),
      })
      .describe('Tokens of the outcomes'),
    market_prices: z
      .object({
        up: z.string().describe('Middle price of Up'),
        down: z.string().describe('Middle price of Down'),
      })
      .nullable()
      .describe('What the market pays; null when it does not say'),
    final_price: z.string().nullable().describe('The average at the end; null while it runs'),
    outcome: z.enum(['up', 'down']).nullable().describe('Official outcome; null while it runs'),
    simulated: z.boolean().describe('True on a local chain: market and prices are made up'),
  }),
  needs,
  wants,
  price: usd('0.004'),
  async check(ctx, input) {
    const deps = toDeps(ctx)
    await requireRecord(deps, toWindow(input, deps))
  },
  limits: [{ perMinute: 300, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'price-to-beat', tags: ['prediction-markets', 'x402'] },
  rest: { routes: ['GET /v1/predmkt/:asset-:window'] },
  examples: [{ asset: 'btc', window: '5m' }],
  summary: ({ asset, window, price_to_beat: priceToBeat, status, distance, outcome }) =>
    status === 'live'
      ? `${asset} ${window}: ${priceToBeat.value} to beat, ${distance.absolute} above it now.`
      : `${asset} ${window}: ${outcome}, ${distance.absolute} above ${priceToBeat.value}.`,
}).run(async (ctx, input) => {
  const deps = toDeps(ctx)
  return readWindowRecord(deps, toWindow(input, deps))
})
