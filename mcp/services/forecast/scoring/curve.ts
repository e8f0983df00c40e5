import type { Cell } from './cells.ts'
import { type Interval, wilson } from './interval.ts'

/** A bucket below this many forecasts is marked: its rate says little. */
const minBucket = 20

const bucketCount = 10

/** One step of the calibration curve; rates are null where nothing was forecast. */
export type CalibrationBucket = {
  readonly from: number
  readonly to: number
  readonly n: number
  readonly yes: number
  readonly meanProbability: number | null
  readonly observed: number | null
  /** Wilson's 95 % interval of the observed rate. */
  readonly interval: Interval | null
  /** Range of the observed rate in 95 of 100 records whose forecasts are perfectly calibrated. */
  readonly consistency: Interval | null
  readonly small: boolean
}

/** Totals of the forecasts of a bucket. */
export type Bin = {
  readonly from: number
  readonly to: number
  n: number
  yes: number
  /** Of the probabilities. */
  sum: number
  /** Of p × (1 − p): the variance of how many come true if all are calibrated. */
  variance: number
}

// 0.29 * 10 is 2.8999…; the bucket must not depend on it.
/** Place of the bucket of a probability: ten of equal width; 0.1 belongs to the second, 1 to the last. */
export const bucketIndex = (probability: number): number =>
  Math.min(bucketCount - 1, Math.floor(probability * bucketCount + 1e-9))

/** Adds cells up by bucket. */
export const toBins = (cells: readonly Cell[]): Bin[] => {
  const bins = Array.from({ length: bucketCount }, (_, index): Bin => {
    const [from, to] = [index / bucketCount, (index + 1) / bucketCount]
    return { from, to, n: 0, yes: 0, sum: 0, variance: 0 }
  })
  for (const { probability, yes, no } of cells) {
    const bin = bins[bucketIndex(probability)]
    if (!bin) continue
    bin.n += yes + no
    bin.yes += yes
    bin.sum += (yes + no) * probability
    bin.variance += (yes + no) * probability * (1 - probability)
  }
  return bins
}

const toConsistency = ({ n, sum, variance }: Bin): Interval => {
  const half = (1.959963984540054 * Math.sqrt(variance)) / n
  return [Math.max(0, sum / n - half), Math.min(1, sum / n + half)]
}

/** The calibration curve: of each bucket how many, what was forecast on average, and how often it came true. */
export const toCurve = (bins: readonly Bin[]): CalibrationBucket[] =>
  bins.map(bin => {
    const { from, to, n, yes, sum } = bin
    const isEmpty = n === 0
    return {
      from,
      to,
      n,
      yes,
      meanProbability: isEmpty ? null : sum / n,
      observed: isEmpty ? null : yes / n,
      interval: isEmpty ? null : wilson(yes, n),
      consistency: isEmpty ? null : toConsistency(bin),
      small: n < minBucket,
    }
  })
