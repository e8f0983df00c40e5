import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Failed, readCoin } from './coin-signals.ts'
import { type Coin, coins, type Venue, venueIds } from './venue.ts'

const provenance = {
  source: z.enum(venueIds).describe('Venue that says so'),
  as_of: z.string().describe('When it was so, as the venue says, or when it was read'),
  age_seconds: z.number().describe('How old it is now'),
  stale: z.boolean().describe('It is older than it should be'),
}

const number = (what: string) =>
  z
    .object({ value: z.number().describe(what), ...provenance })
    .nullable()
    .describe(`${what}; null where no venue tells it`)

const regime = z
  .object({
    value: z.enum(['expansion', 'contraction', 'neutral']).describe('Whether volatility grows or shrinks'),
    ...provenance,
  })
  .nullable()
  .describe('Expansion from a ratio of 1.3, contraction up to 0.7; null with fewer than 100 closes')

/** Facts of one coin. */
export const CoinOutput = z
  .object({
    coin: z.enum(coins).describe('Coin'),
    mark_price_usd: number('Mark price in USD'),
    index_price_usd: number('Index price in USD'),
    basis_bps: number('Mark over index, in hundredths of a percent'),
    funding_rate_8h: number('Funding rate for eight hours, whatever the interval of the venue'),
    funding_apr: number('Funding rate for a year, without compounding'),
    funding_interval_hours: number('Hours between two fundings'),
    funding_delta_24h: number('Funding rate for eight hours, less that of a day before'),
    open_interest_coins: number('Open interest in coins'),
    open_interest_usd: number('Open interest in USD'),
    return_24h: number('Return of the last 24 whole hours'),
    return_7d: number('Return of the last 168 whole hours'),
    realized_vol_24h: number('Annual volatility of hourly returns of a day'),
    realized_vol_7d: number('Annual volatility of hourly returns of 7 days'),
    realized_vol_30d: number('Annual volatility of hourly returns of 30 days'),
    vol_expansion: number('Deviation of the last 20 hourly closes over that of the last 100'),
    vol_regime: regime,
    dvol: number('Volatility index in percent; BTC and ETH'),
    dvol_change_24h: number('Its change within a day, in points'),
    variance_premium: number('Volatility index less the realized volatility of 30 days, in points'),
    venues: z
      .array(
        z.object({
          venue: z.enum(venueIds).describe('Venue'),
          mark_price_usd: z.number().nullable().describe('Mark price in USD'),
          basis_bps: z.number().nullable().describe('Mark over index, in hundredths of a percent'),
          funding_rate_8h: z.number().nullable().describe('Funding rate for eight hours'),
          open_interest_usd: z.number().nullable().describe('Open interest in USD'),
          as_of: z.string().describe('When it was so'),
          age_seconds: z.number().describe('How old it is now'),
        }),
      )
      .describe('The same on each venue that answers'),
  })
  .describe('Signals of one coin')

export const FailedOutput = z
  .array(
    z.object({
      coin: z.enum(coins).describe('Coin'),
      field: z.string().describe('What is missing; ticker and closes stand for all that comes of them'),
      source: z.enum(venueIds).nullable().describe('Venue; null where none has it'),
      reason: z.string().describe('Why'),
    }),
  )
  .describe('What a venue does not tell, and why; another one may have told it')

const texts = (what: string) => z.array(z.string().describe('One thing')).describe(what)

export const plausibilityChecks = [
  'numbers are finite and within what can be; timestamps are not of the future',
  'prices that are more than 5 % from the median of three or more venues are left out',
  'candles are whole hours without a gap; a stale number is marked',
]

const notChecked = [
  'whether a venue tells the truth where all agree',
  'spot markets, order books, options beyond the volatility index, and news',
  'what will happen: these numbers are of the past',
]

/** Fields of every answer about markets: what made it, and what it does not look at. */
export const BasisOutput = {
  engine: z.string().describe('What made the answer'),
  checked: texts('What was checked'),
  not_checked: texts('What was not'),
}

/** The basis of an answer that leaves `more` unchecked besides. */
export const toBasis = (more: readonly string[] = [], checked = plausibilityChecks) => ({
  engine: 'venue-arithmetic',
  checked,
  not_checked: [...notChecked, ...more],
})

/** The coins in a list, each once. */
export const coinList = z
  .array(z.enum(coins).describe('Coin'))
  .min(1)
  .max(coins.length)
  .transform(list => [...new Set(list)])

const numbersIn = (signals: object): number =>
  Object.values(signals).filter(value => typeof value === 'object' && value !== null && 'value' in value)
    .length

/** Signals of some coins at once. Throws `upstream` where no venue tells anything, so that nothing is charged. */
export const readCoins = async (list: readonly Coin[], venues: readonly Venue[], now: Date) => {
  const results = await Promise.all(list.map(coin => readCoin(coin, venues, now.getTime())))
  const failed: Failed[] = results.flatMap(result => result.failed)
  const coins = results.map(({ signals }) => signals).filter(signals => numbersIn(signals) > 0)
  if (coins.length === 0)
    throw new ToolError('upstream', 'No venue tells anything just now.', {
      retryable: true,
      retryAfter: 30,
      params: { failed: failed.slice(0, 50) },
    })
  return { coins: coins, failed }
}
