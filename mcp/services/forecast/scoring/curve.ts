import type { Cell } from './cells.ts'
import { type Interval, wilson } from './interval.ts'

/** A bucket below this many forecasts is marked: its rate says little. */
export const minBucket = 20

const bucketCount = 10

/** One step of the calibration curve; rates are null where nothing was forecast. */
export type Bucket = {
  readonly from: number
  readonly to: number
  readonly n: number
  readonly yes: number
  readonly meanProbability: number | null
  readonly observed: number | null
  /** Wilson's 95 % interval of the observed rate. */
  readonly interval: Interval | null
  /** Where the observed rate lies in 95 of 100 records whose forecasts are perfectly calibrated. */
  readonly consistency: Interval | null
  readonly small: boolean
}

/** A bucket and the cells in it. */
export type Bin = { readonly from: number; readonly to: number; readonly cells: readonly Cell[] }

// 0.29 * 10 is 2.8999…; the bucket must not depend on it.
const bucketIndex = (probability: number): number =>
  Math.min(bucketCount - 1, Math.floor(probability * bucketCount + 1e-9))

/** Sorts cells into ten buckets of equal width; 0.1 belongs to the second, 1 to the last. */
export const toBins = (cells: readonly Cell[]): Bin[] => {
  const bins = Array.from({ length: bucketCount }, (): Cell[] => [])
  for (const cell of cells) bins[bucketIndex(cell.probability)]?.push(cell)
  return bins.map((cells, index) => ({ from: index / bucketCount, to: (index + 1) / bucketCount, cells }))
}

const toConsistency = (cells: readonly Cell[], mean: number, n: number): Interval => {
  const variance = cells.reduce(
    (sum, { probability, yes, no }) => sum + (yes + no) * probability * (1 - probability),
    0,
  )
  const half = (1.959963984540054 * Math.sqrt(variance)) / n
  return [Math.max(0, mean - half), Math.min(1, mean + half)]
}

/** The calibration curve: of each bucket how many, what was forecast on average, and how often it came true. */
export const toCurve = (bins: readonly Bin[]): Bucket[] =>
  bins.map(({ from, to, cells }) => {
    const yes = cells.reduce((sum, cell) => sum + cell.yes, 0)
    const n = cells.reduce((sum, cell) => sum + cell.no, yes)
    if (n === 0)
      return {
        from,
        to,
        n,
        yes,
        meanProbability: null,
        observed: null,
        interval: null,
        consistency: null,
        small: true,
      }
    const mean = cells.reduce((sum, cell) => sum + cell.probability * (cell.yes + cell.no), 0) / n
    return {
      from,
      to,
      n,
      yes,
      meanProbability: mean,
      observed: yes / n,
      interval: wilson(yes, n),
      consistency: toConsistency(cells, mean, n),
      small: n < minBucket,
    }
  })
