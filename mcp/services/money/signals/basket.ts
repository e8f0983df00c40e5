import { type Address, parseAbi } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Cache, Evm } from '../../../ports/index.ts'
import type { Stock } from '../config.ts'
import { onChain, openReader, orUndefined } from '../stablecoin/reader.ts'
import { type Close, openFeedHistory } from './history.ts'
import { computeDrift, computeSignals, type Series } from './signals.ts'

export type BasketDeps = {
  evm: Evm
  cache: Cache
  signal: AbortSignal
  now: () => Date
  stocks: readonly Stock[]
}

/** Closes looked back at; with fewer than `minCloses` nothing is sold. */
const maxCloses = 61
const minCloses = 21

/** A feed that said nothing for longer is dead: weekends with a holiday have four days. */
const maxAgeMs = 5 * 86_400_000

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
export const loadSeries = async (
  deps: BasketDeps,
): Promise<{ series: Series[]; asOf: Date; lastDay: string }> => {
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

const balanceAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

/** What a vault holds of each stock, in USD. Throws `not_found` where there is no vault. */
export const loadHoldings = async (
  { evm, signal, stocks }: BasketDeps,
  vault: Address,
  prices: readonly number[],
): Promise<number[]> => {
  const reader = openReader(evm, 'base', signal)
  const code = await onChain(reader.getCode({ address: vault }))
  if (!code)
    throw new ToolError('not_found', `There is no vault at ${vault} on Base.`, { reason: 'no_vault' })
  const balances = await Promise.all(
    stocks.map(({ token }) =>
      orUndefined(
        reader.readContract({ address: token, abi: balanceAbi, functionName: 'balanceOf', args: [vault] }),
      ),
    ),
  )
  return balances.map(
    (balance, index) => (Number(balance ?? 0n) / 10 ** (stocks[index]?.decimals ?? 8)) * (prices[index] ?? 0),
  )
}

/** Signals of the basket, and the drift of a vault. */
export const readSignals = async (deps: BasketDeps, vault: Address | undefined) => {
  const { series, asOf, lastDay } = await loadSeries(deps)
  const signals = computeSignals(series)
  const prices = series.map(({ prices }) => prices.at(-1) ?? 0)
  const values = vault && (await loadHoldings(deps, vault, prices))
  return {
    ...signals,
    lastDay,
    asOf: asOf.toISOString(),
    vault: vault && values ? { address: vault, ...computeDrift(values, signals.weightsBps) } : null,
  }
}
