import type { ReturnRow } from './rows.ts'
import { readMoments } from './sharpe.ts'

const maxSteps = 300
const precision = 1e-15
const tiny = 1e-300

// Lanczos, g = 7.
const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

const logGamma = (x: number): number => {
  const base = x + 6.5
  const sum = lanczos.reduce((sum, weight, nth) => sum + weight / (x + nth), 0.99999999999980993)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum)
}

/** Lentz's continued fraction of the incomplete beta function. */
const betaFraction = (a: number, b: number, x: number): number => {
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= maxSteps; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < precision) break
  }
  return fraction
}

/** The regularised incomplete beta function. */
const beta = (a: number, b: number, x: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const weight = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2)
    ? (weight * betaFraction(a, b, x)) / a
    : 1 - (weight * betaFraction(b, a, 1 - x)) / b
}

/** The distribution function of Student's t with some degrees of freedom. */
export const studentCdf = (t: number, freedom: number): number => {
  const tail = beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
  return t > 0 ? 1 - tail : tail
}

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

type Fold = { count: number; purged: number; sharpe: number | null; positive: boolean }

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
