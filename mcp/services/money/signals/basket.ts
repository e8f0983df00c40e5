import type { Address } from 'viem'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { ToolError } from '../../../kernel/error.ts'
import { dayMs } from '../../../lib/time.ts'
import { askTogether, view } from '../calldata/views.ts'
import type { Stock } from '../config.ts'
import { openReader } from '../stablecoin/reader.ts'
import { openBasket, type VaultDeps } from '../vault/basket.ts'
import { readVault } from '../vault/prepare.ts'
import { type Close, openFeedHistory } from './history.ts'
import { computeDrift, computeSignals, type Series } from './signals.ts'

export type BasketDeps = VaultDeps

/** Closes looked back at; with fewer than `minCloses` nothing is sold. */
const maxCloses = 61
const minCloses = 21

/** A feed that said nothing for longer is dead: weekends with a holiday have four days. */
const maxAgeMs = 5 * dayMs

const keepSeconds = 600

const loadCloses = async ({ evm, cache, signal }: BasketDeps, { feed }: Stock) => {
  const { value } = await cache.take(
    `money.closes:${feed}`,
    async signal => ({
      value: await openFeedHistory(openReader(evm, 'base', signal)).closes(feed, maxCloses),
      seconds: keepSeconds,
    }),
    { signal },
  )
  return value
}

/** Only days that every stock has: a correlation of different days is none. */
const alignDays = (all: readonly (readonly Close[])[]): string[] => {
  const [first = [], ...others] = all.map(closes => closes.map(({ day }) => day))
  return first.filter(day => others.every(days => days.includes(day)))
}

const tooLittle = (count: number) =>
  new ToolError(
    'unavailable',
    `The price feeds tell of ${count} common trading days; signals need ${minCloses}. Nothing is charged.`,
    { reason: 'too_little_history', params: { days: count, needed: minCloses } },
  )

/** The closes of all stocks, on common days. Throws `unavailable` for too few of them, or for feeds that are dead. */
const loadSeries = async (deps: BasketDeps): Promise<{ series: Series[]; asOf: Date; lastDay: string }> => {
  const all = await Promise.all(deps.stocks.map(stock => loadCloses(deps, stock)))
  const oldest = new Date(Math.min(...all.map(({ updatedAt }) => updatedAt.getTime())))
  if (deps.now().getTime() - oldest.getTime() > maxAgeMs)
    throw new ToolError('unavailable', `A price feed was last told on ${oldest.toISOString()}.`, {
      reason: 'stale_prices',
    })
  const days = alignDays(all.map(({ closes }) => closes))
  if (days.length < minCloses) throw tooLittle(days.length)
  const series = deps.stocks.map(({ symbol }, index) => {
    const byDay = new Map(all[index]?.closes.map(({ day, price }) => [day, price]))
    return { symbol, prices: days.flatMap(day => byDay.get(day) ?? []) }
  })
  if (series.some(({ prices }) => new Set(prices).size === 1))
    throw new ToolError('unavailable', 'A price feed has not moved on any day.', { reason: 'stale_prices' })
  return { series, asOf: oldest, lastDay: days.at(-1) ?? '' }
}

/** The stocks that are looked at: on a local chain those that the program has placed there. */
const loadStocks = async (deps: BasketDeps): Promise<readonly Stock[]> =>
  deps.evm.local?.('base') ? (await openBasket(deps)).stocks : deps.stocks

/**
 * What a vault holds of each stock, in USD. Throws `not_found` for an address that is no vault, `unavailable` where vaults are off,
 * `upstream` when a token does not say what the vault has.
 */
const loadHoldings = async (
  deps: BasketDeps,
  address: Address,
  prices: readonly number[],
): Promise<number[]> => {
  const basket = await openBasket(deps)
  const { vault } = await readVault(basket, address)
  const { stocks, reader, now } = basket
  const amounts = await askTogether(
    reader,
    stocks.map(({ token }) => view(vault, basketVault.abi, 'holding', [token])),
    now,
  )
  return stocks.map(({ symbol, decimals }, index) => {
    const amount = amounts[index]
    if (amount === undefined)
      throw new ToolError('upstream', `${symbol} does not say what the vault has of it.`, {
        retryable: false,
      })
    return (Number(amount) / 10 ** decimals) * (prices[index] ?? 0)
  })
}

/** Signals of the basket, and the drift of a vault. */
export const readSignals = async (given: BasketDeps, vault: Address | undefined) => {
  const deps = { ...given, stocks: await loadStocks(given) }
  const { series, asOf, lastDay } = await loadSeries(deps)
  const signals = computeSignals(series)
  const prices = series.map(({ prices }) => prices.at(-1) ?? 0)
  const values = vault && (await loadHoldings(deps, vault, prices))
  return {
    ...signals,
    last_day: lastDay,
    as_of: asOf.toISOString(),
    vault: vault && values ? { address: vault, ...computeDrift(values, signals.weightsBps) } : null,
    simulated: deps.evm.local?.('base') !== undefined,
  }
}
