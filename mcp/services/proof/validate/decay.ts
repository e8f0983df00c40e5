import type { ReturnRow } from './rows.ts'
import { readMoments } from './sharpe.ts'
import { studentCdf } from './student.ts'

/** Rank correlations that chance alone falls to in at most 5 % of cases, by the number of folds (one-sided, exact). */
const criticalRho: Readonly<Record<number, number>> = {
  4: -1,
  5: -0.9,
  6: -0.829,
  7: -0.714,
  8: -0.643,
  9: -0.6,
  10: -0.564,
  11: -0.536,
  12: -0.503,
  13: -0.484,
  14: -0.464,
  15: -0.446,
  16: -0.429,
  17: -0.414,
  18: -0.401,
  19: -0.391,
  20: -0.38,
}

export type Fold = { count: number; purged: number; sharpe: number | null; positive: boolean }

export type Decay = {
  folds: Fold[]
  positiveShare: number
  rho: number | null
  trendP: number
  earlySharpe: number | null
  lateSharpe: number | null
  decays: boolean
  embargo: number
}

const spans = ({ entry, exit }: ReturnRow): boolean => entry !== undefined && exit !== undefined

/** Chronological folds of sizes that differ by one at most. */
const splitIntoFolds = (rows: readonly ReturnRow[], folds: number): ReturnRow[][] => {
  const [size, larger] = [Math.floor(rows.length / folds), rows.length % folds]
  return Array.from({ length: folds }, (_, nth) => {
    const from = nth * size + Math.min(nth, larger)
    return rows.slice(from, from + size + (nth < larger ? 1 : 0))
  })
}

/** True when a trade was open on both sides of a border, which is between two times. */
const straddles = ({ entry, exit }: ReturnRow, last: number, first: number): boolean =>
  entry !== undefined && exit !== undefined && entry <= last && exit >= first

/** Drops what was open over a border, and what came too soon after it. Returns without a span touch no other. */
const purge = (parts: ReturnRow[][], embargo: number): ReturnRow[][] => {
  const borders = parts.slice(1).map((part, nth) => ({
    last: parts[nth]?.at(-1)?.at ?? -Infinity,
    first: part[0]?.at ?? Infinity,
  }))
  return parts.map((part, nth) => {
    const near = [borders[nth - 1], borders[nth]]
    return part.filter((row, place) => {
      if (!spans(row)) return true
      if (nth > 0 && place < embargo) return false
      return !near.some(border => border && straddles(row, border.last, border.first))
    })
  })
}

const values = (rows: readonly ReturnRow[]): Float64Array => Float64Array.from(rows, ({ value }) => value)

/** Null where there are fewer than two different returns. */
const sharpe = (rows: readonly ReturnRow[]): number | null => {
  if (rows.length < 2) return null
  const { sharpe } = readMoments(values(rows))
  return Number.isFinite(sharpe) ? sharpe : null
}

const ranks = (list: readonly number[]): number[] =>
  list.map(value => {
    const below = list.filter(other => other < value).length
    const same = list.filter(other => other === value).length
    return below + (same + 1) / 2
  })

const correlation = (x: readonly number[], y: readonly number[]): number => {
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
  const [meanX, meanY] = [mean(x), mean(y)]
  let [products, squaresX, squaresY] = [0, 0, 0]
  x.forEach((value, nth) => {
    const [offX, offY] = [value - meanX, (y[nth] ?? 0) - meanY]
    products += offX * offY
    squaresX += offX * offX
    squaresY += offY * offY
  })
  return squaresX === 0 || squaresY === 0 ? 0 : products / Math.sqrt(squaresX * squaresY)
}

/** One-sided: how likely chance makes returns fall with time as these do. */
const trendProbability = (rows: readonly ReturnRow[]): number => {
  const count = rows.length
  if (count < 3) return 1
  const r = correlation(
    rows.map((_, nth) => nth),
    rows.map(({ value }) => value),
  )
  return Math.abs(r) === 1 ? Number(r > 0) : studentCdf(r * Math.sqrt((count - 2) / (1 - r * r)), count - 2)
}

/** Reads the edge's decay: Sharpe ratios of chronological folds, purged where trades overlap, and the trend of them. */
export const readDecay = (rows: readonly ReturnRow[], count: number): Decay => {
  const embargo = rows.some(spans) ? Math.ceil(rows.length / 100) : 0
  const parts = splitIntoFolds(rows, count)
  const purged = purge(parts, embargo)
  const folds = purged.map((part, nth): Fold => {
    const ratio = sharpe(part)
    const sum = part.reduce((sum, { value }) => sum + value, 0)
    return {
      count: part.length,
      purged: (parts[nth]?.length ?? 0) - part.length,
      sharpe: ratio,
      positive: sum > 0,
    }
  })
  const ratios = folds.flatMap(({ sharpe }) => (sharpe === null ? [] : [sharpe]))
  const rho =
    ratios.length < 3
      ? null
      : correlation(
          ratios.map((_, nth) => nth + 1),
          ranks(ratios),
        )
  const remaining = purged.flat()
  const trendP = trendProbability(remaining)
  const border = Math.floor(remaining.length * 0.6)
  const earlySharpe = sharpe(remaining.slice(0, border))
  const lateSharpe = sharpe(remaining.slice(border))
  const critical = criticalRho[ratios.length]
  const falls = (critical !== undefined && rho !== null && rho <= critical + 1e-9) || trendP < 0.05
  const weaker = earlySharpe !== null && lateSharpe !== null && lateSharpe < 0.5 * earlySharpe
  return {
    folds,
    positiveShare: folds.filter(({ positive }) => positive).length / folds.length,
    rho,
    trendP,
    earlySharpe,
    lateSharpe,
    decays: falls && weaker,
    embargo,
  }
}
