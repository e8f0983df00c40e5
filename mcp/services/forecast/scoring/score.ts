import { brierInterval } from './bootstrap.ts'
import type { Cell } from './cells.ts'
import { type Bin, type Bucket, toBins, toCurve } from './curve.ts'
import type { Interval } from './interval.ts'

/**
 * Murphy's decomposition with the terms within buckets (Stephenson, Coelho and Jolliffe 2008):
 * Brier = reliability − resolution + uncertainty + withinVariance − withinCovariance, to the last digit.
 */
export type Murphy = {
  readonly reliability: number
  readonly resolution: number
  readonly uncertainty: number
  readonly withinVariance: number
  readonly withinCovariance: number
}

export type Score = {
  readonly n: number
  readonly yes: number
  /** Share that came true. */
  readonly baseRate: number
  /** Mean of (probability − outcome)²: 0 is perfect, 0.25 is always saying one half. */
  readonly brier: number
  /** 95 %, by bootstrap; null for a single forecast. */
  readonly brierInterval: Interval | null
  readonly murphy: Murphy
  /** Mean of −ln of the probability of what happened, probabilities held within 0.0001 and 0.9999. */
  readonly logScore: number
  /** 1 − Brier / uncertainty: what is gained over always saying the base rate. Null where all came out the same. */
  readonly skill: number | null
  /** Mean distance of the curve from the diagonal, by bucket. */
  readonly ece: number
  /** Largest such distance. */
  readonly maxCalibrationError: number
  /** Variance of the probabilities. */
  readonly sharpness: number
  /** Chance that what came true had the higher probability than what did not. Null where all came out the same. */
  readonly auc: number | null
  /** Share whose more probable side came true; one half counts as half. */
  readonly accuracy: number
  readonly curve: readonly Bucket[]
}

const clip = 1e-4

const sum = <row>(rows: readonly row[], value: (row: row) => number): number =>
  rows.reduce((total, row) => total + value(row), 0)

const size = ({ yes, no }: Cell): number => yes + no

const toMurphy = (bins: readonly Bin[], n: number, baseRate: number): Murphy => {
  let [reliability, resolution, withinVariance, withinCovariance] = [0, 0, 0, 0]
  for (const { cells } of bins) {
    const count = sum(cells, size)
    if (count === 0) continue
    const mean = sum(cells, cell => cell.probability * size(cell)) / count
    const rate = sum(cells, ({ yes }) => yes) / count
    reliability += count * (mean - rate) ** 2
    resolution += count * (rate - baseRate) ** 2
    for (const { probability, yes, no } of cells) {
      withinVariance += (yes + no) * (probability - mean) ** 2
      withinCovariance += 2 * (probability - mean) * (yes * (1 - rate) - no * rate)
    }
  }
  return {
    reliability: reliability / n,
    resolution: resolution / n,
    uncertainty: baseRate * (1 - baseRate),
    withinVariance: withinVariance / n,
    withinCovariance: withinCovariance / n,
  }
}

/** By ranks, ties counting half; the cells are in rising order. */
const toAuc = (cells: readonly Cell[], yes: number, no: number): number | null => {
  if (yes === 0 || no === 0) return null
  let below = 0
  let wins = 0
  for (const cell of cells) {
    wins += cell.yes * (below + cell.no / 2)
    below += cell.no
  }
  return wins / (yes * no)
}

const toAccuracy = ({ probability, yes, no }: Cell): number => {
  if (probability === 0.5) return (yes + no) / 2
  return probability > 0.5 ? yes : no
}

/** Scores forecasts that are grouped into cells. Null without any: nothing is known of a record that is empty. */
export const score = (cells: readonly Cell[]): Score | null => {
  const n = sum(cells, size)
  if (n === 0) return null
  const yes = sum(cells, cell => cell.yes)
  const baseRate = yes / n
  const bins = toBins(cells)
  const curve = toCurve(bins)
  const brier = sum(cells, ({ probability: p, ...cell }) => cell.yes * (1 - p) ** 2 + cell.no * p ** 2) / n
  const murphy = toMurphy(bins, n, baseRate)
  const mean = sum(cells, cell => cell.probability * size(cell)) / n
  const gaps = curve.flatMap(({ n, meanProbability, observed }) =>
    meanProbability === null || observed === null ? [] : [{ n, gap: Math.abs(meanProbability - observed) }],
  )
  const logLoss = (p: number) => -Math.log(Math.min(1 - clip, Math.max(clip, p)))
  return {
    n,
    yes,
    baseRate,
    brier,
    brierInterval: brierInterval(cells),
    murphy,
    logScore:
      sum(cells, ({ probability: p, ...cell }) => cell.yes * logLoss(p) + cell.no * logLoss(1 - p)) / n,
    skill: murphy.uncertainty === 0 ? null : 1 - brier / murphy.uncertainty,
    ece: sum(gaps, ({ n, gap }) => n * gap) / n,
    maxCalibrationError: Math.max(...gaps.map(({ gap }) => gap)),
    sharpness: sum(cells, cell => size(cell) * (cell.probability - mean) ** 2) / n,
    auc: toAuc(cells, yes, n - yes),
    accuracy: sum(cells, toAccuracy) / n,
    curve,
  }
}
