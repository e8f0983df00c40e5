import { normalCdf, normalQuantile } from '../../../lib/normal.ts'

/** Moments of returns, per period. Skewness and kurtosis are the biased ones; kurtosis of a normal is 3. */
export type Moments = {
  count: number
  mean: number
  /** With n - 1. */
  deviation: number
  sharpe: number
  skewness: number
  kurtosis: number
}

export const readMoments = (returns: ArrayLike<number>): Moments => {
  const count = returns.length
  let sum = 0
  for (let nth = 0; nth < count; nth++) sum += returns[nth] ?? 0
  const mean = sum / count
  let [second, third, fourth] = [0, 0, 0]
  for (let nth = 0; nth < count; nth++) {
    const off = (returns[nth] ?? 0) - mean
    const square = off * off
    second += square
    third += square * off
    fourth += square * square
  }
  const variance = second / count
  const deviation = Math.sqrt(second / (count - 1))
  return {
    count,
    mean,
    deviation,
    sharpe: mean / deviation,
    skewness: third / count / variance ** 1.5,
    kurtosis: fourth / count / (variance * variance),
  }
}

type Shape = Pick<Moments, 'sharpe' | 'count' | 'skewness' | 'kurtosis'>

/** Returns of two values alone can bring it to 0, where every number over it is lost. */
const minSpread = 1e-9

const spread = ({ sharpe, skewness, kurtosis }: Omit<Shape, 'count'>): number =>
  Math.max(minSpread, 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe)

/** The probability that the true Sharpe ratio is above a benchmark (Bailey and López de Prado 2012). */
export const probabilisticSharpe = (shape: Shape, benchmark = 0): number =>
  normalCdf(((shape.sharpe - benchmark) * Math.sqrt(shape.count - 1)) / Math.sqrt(spread(shape)))

const euler = 0.5772156649015329

/** The Sharpe ratio that the best of so many worthless trials is expected to show (Bailey and López de Prado 2014). */
export const expectedMaxSharpe = (trials: number, variance: number): number =>
  trials <= 1
    ? 0
    : Math.sqrt(variance) *
      ((1 - euler) * normalQuantile(1 - 1 / trials) + euler * normalQuantile(1 - 1 / (trials * Math.E)))

/** Observations that it takes to be 95 % sure that the Sharpe ratio is above a benchmark; null where none suffice. */
export const minTrackRecord = (shape: Omit<Shape, 'count'>, benchmark = 0, error = 0.05): number | null => {
  if (shape.sharpe <= benchmark) return null
  const z = normalQuantile(1 - error)
  return 1 + spread(shape) * (z / (shape.sharpe - benchmark)) ** 2
}

/**
 * The variance of an estimated Sharpe ratio times the observations, where the true one is `benchmark` and returns follow an
 * AR(1) process with that autocorrelation (López de Prado, Lipton and Zoonekynd 2025).
 */
const varianceUnderNull = (
  benchmark: number,
  { skewness, kurtosis }: Pick<Shape, 'skewness' | 'kurtosis'>,
  autocorrelation: number,
): number => {
  const b = autocorrelation / (1 - autocorrelation)
  const c = autocorrelation ** 2 / (1 - autocorrelation ** 2)
  const variance =
    1 +
    2 * b -
    (1 + b + c) * skewness * benchmark +
    (((1 + 2 * c) * (kurtosis - 1)) / 4) * benchmark * benchmark
  return Math.max(minSpread, variance)
}

/** The probabilistic Sharpe ratio with its variance taken under the benchmark and autocorrelation. */
export const probabilisticSharpeUnderNull = (shape: Shape, benchmark = 0, autocorrelation = 0): number => {
  const variance = varianceUnderNull(benchmark, shape, autocorrelation) / shape.count
  return normalCdf((shape.sharpe - benchmark) / Math.sqrt(variance))
}

/** The correlation of returns with those before them. */
export const autocorrelation = (returns: ArrayLike<number>, mean: number): number => {
  let [products, squares] = [0, 0]
  for (let nth = 0; nth < returns.length; nth++) {
    const off = (returns[nth] ?? 0) - mean
    squares += off * off
    if (nth > 0) products += off * ((returns[nth - 1] ?? 0) - mean)
  }
  return products / squares
}
