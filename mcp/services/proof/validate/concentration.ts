import type { ReturnRow } from './rows.ts'

export type Concentration = {
  total: number
  /** Total without the best trade. */
  without_best: number
  /** The coin that brought most, and what is left without it. */
  dominant_coin: string | null
  without_dominant_coin: number | null
  /** Herfindahl index of what the coins brought, by amount: 1 when one coin brought all. */
  coin_hhi: number | null
  sign_survives: boolean
}

const sum = (rows: readonly ReturnRow[]): number => rows.reduce((sum, { value }) => sum + value, 0)

/** How much hangs on one trade or one coin. It never changes the verdict. */
export const readConcentration = (rows: readonly ReturnRow[]): Concentration => {
  const total = sum(rows)
  const best = rows.reduce((best, { value }) => Math.max(best, value), -Infinity)
  const withoutBest = total - best
  const byCoin = new Map<string, number>()
  for (const { coin, value } of rows)
    if (coin !== undefined) byCoin.set(coin, (byCoin.get(coin) ?? 0) + value)
  const coins = [...byCoin].sort(([, a], [, b]) => b - a)
  const all = coins.reduce((all, [, value]) => all + Math.abs(value), 0)
  const [dominant] = coins
  const withoutCoin = dominant ? total - dominant[1] : null
  const survives = [withoutBest, ...(coins.length > 1 && withoutCoin !== null ? [withoutCoin] : [])]
  return {
    total,
    without_best: withoutBest,
    dominant_coin: dominant?.[0] ?? null,
    without_dominant_coin: withoutCoin,
    coin_hhi: all > 0 ? coins.reduce((hhi, [, value]) => hhi + (value / all) ** 2, 0) : null,
    sign_survives: survives.every(rest => Math.sign(rest) === Math.sign(total)),
  }
}
