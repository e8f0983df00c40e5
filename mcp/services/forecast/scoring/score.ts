import { brierInterval } from './bootstrap.ts'
import type { Cell } from './cells.ts'
import { type Bin, bucketIndex, type CalibrationBucket, toBins, toCurve } from './curve.ts'
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
  readonly curve: readonly CalibrationBucket[]
}

const clip = 1e-4

const toMurphy = (cells: readonly Cell[], bins: readonly Bin[], n: number, baseRate: number): Murphy => {
  let [reliability, resolution, withinVariance, withinCovariance] = [0, 0, 0, 0]
  for (const { n: count, yes, sum } of bins) {
    if (count === 0) continue
    reliability += count * (sum / count - yes / count) ** 2
    resolution += count * (yes / count - baseRate) ** 2
  }
  for (const { probability, yes, no } of cells) {
    const bin = bins[bucketIndex(probability)]
    if (!bin) continue
    const distance = probability - bin.sum / bin.n
    const rate = bin.yes / bin.n
    withinVariance += (yes + no) * distance ** 2
    withinCovariance += 2 * distance * (yes * (1 - rate) - no * rate)
  }
  return {
    reliability: reliability / n,
    resolution: resolution / n,
    uncertainty: baseRate * (1 - baseRate),
    withinVariance: withinVariance / n,
    withinCovariance: withinCovariance / n,
  }
}

const logLoss = (probability: number): number => -Math.log(Math.min(1 - clip, Math.max(clip, probability)))

/** Sums over forecasts in one pass: there may be ten thousand cells, and they are scored after each outcome. */
const addUp = (cells: readonly Cell[]) => {
  let [n, came, brier, log, probabilities, squares, right, wins, below] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  for (const { probability: p, yes, no } of cells) {
    n += yes + no
    came += yes
    brier += yes * (1 - p) ** 2 + no * p ** 2
    if (yes > 0) log += yes * logLoss(p)
    if (no > 0) log += no * logLoss(1 - p)
    probabilities += (yes + no) * p
    squares += (yes + no) * p * p
    // The more probable side; one half counts as half.
    if (p === 0.5) right += (yes + no) / 2
    else right += p > 0.5 ? yes : no
    // By ranks, ties counting half; the cells are in rising order.
    wins += yes * (below + no / 2)
    below += no
  }
  return { n, yes: came, brier, log, probabilities, squares, right, wins }
}

/** Scores forecasts that are grouped into cells. Null without any: nothing is known of a record that is empty. */
export const score = (cells: readonly Cell[]): Score | null => {
  const { n, yes, ...sums } = addUp(cells)
  if (n === 0) return null
  const baseRate = yes / n
  const bins = toBins(cells)
  const curve = toCurve(bins)
  const brier = sums.brier / n
  const murphy = toMurphy(cells, bins, n, baseRate)
  const mean = sums.probabilities / n
  const gaps = curve.flatMap(({ n, meanProbability, observed }) =>
    meanProbability === null || observed === null ? [] : [{ n, gap: Math.abs(meanProbability - observed) }],
  )
  return {
    n,
    yes,
    baseRate,
    brier,
    brierInterval: brierInterval(cells),
    murphy,
    logScore: sums.log / n,
    skill: murphy.uncertainty === 0 ? null : 1 - brier / murphy.uncertainty,
    ece: gaps.reduce((total, { n, gap }) => total + n * gap, 0) / n,
    maxCalibrationError: Math.max(...gaps.map(({ gap }) => gap)),
    sharpness: Math.max(0, sums.squares / n - mean * mean),
    auc: yes === 0 || yes === n ? null : sums.wins / (yes * (n - yes)),
    accuracy: sums.right / n,
    curve,
  }
}
