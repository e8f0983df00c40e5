import type { CalibrationBucket, Interval, Score } from '../scoring.ts'
import { round4 } from './canonical.ts'
import type { Tally } from './tally.ts'

/** Below this many scored forecasts a rate says little; the status then is `small_sample`. */
const minSample = 20

/** The version of what is computed, and how. */
const scoringVersion = 'scoring/3'

const optional = (value: number | null): number | null => (value === null ? null : round4(value))
const interval = (pair: Interval | null): [number, number] | null =>
  pair && [round4(pair[0]), round4(pair[1])]

const toBucket = (bucket: CalibrationBucket) => ({
  from: round4(bucket.from),
  to: round4(bucket.to),
  n: bucket.n,
  yes: bucket.yes,
  mean_probability: optional(bucket.meanProbability),
  observed: optional(bucket.observed),
  interval95: interval(bucket.interval),
  consistency95: interval(bucket.consistency),
  small: bucket.small,
})

/** The last term takes up what rounding leaves, so that the printed terms sum to the printed score. */
const toMurphy = ({ brier, murphy }: Score) => {
  const [reliability, resolution, uncertainty, within_variance] = [
    murphy.reliability,
    murphy.resolution,
    murphy.uncertainty,
    murphy.withinVariance,
  ].map(round4) as [number, number, number, number]
  const within_covariance = round4(reliability - resolution + uncertainty + within_variance - round4(brier))
  return { reliability, resolution, uncertainty, within_variance, within_covariance }
}

const statusFor = (n: number) => {
  if (n === 0) return 'insufficient_data' as const
  return n < minSample ? ('small_sample' as const) : ('ok' as const)
}

/** Scores as they are published: four decimals, null where there is nothing to score. */
export const toPublicScore = (result: Score | null) => ({
  status: statusFor(result?.n ?? 0),
  scored: result?.n ?? 0,
  came_true: result?.yes ?? 0,
  brier: result && round4(result.brier),
  brier_interval95: result && interval(result.brierInterval),
  base_rate: result && round4(result.baseRate),
  log_score: result && round4(result.logScore),
  skill: result && optional(result.skill),
  ece: result && round4(result.ece),
  max_calibration_error: result && round4(result.maxCalibrationError),
  sharpness: result && round4(result.sharpness),
  auc: result && optional(result.auc),
  accuracy: result && round4(result.accuracy),
})

const toBreakdown = (name: string, result: Score | null) => ({
  name,
  status: statusFor(result?.n ?? 0),
  scored: result?.n ?? 0,
  brier: result && round4(result.brier),
  brier_interval95: result && interval(result.brierInterval),
  base_rate: result && round4(result.baseRate),
  ece: result && round4(result.ece),
})

/** The calibration data of a record as it stands in a tally. */
export const toCalibration = (tally: Tally) => {
  const result = tally.score()
  const weighted = tally.timeWeightedBrier()
  return {
    ...toPublicScore(result),
    time_weighted_brier: optional(weighted),
    questions: tally.questions(),
    decomposition: result && toMurphy(result),
    curve: (result?.curve ?? []).map(toBucket),
    predictions: tally.totals(),
    domains: tally.domains().map(domain => ({
      ...toBreakdown(domain, tally.domainScore(domain)),
      ...tally.domainTotals(domain),
    })),
    methods: tally.methods().map(method => toBreakdown(method, tally.methodScore(method))),
    asker: toBreakdown('asker', tally.otherScore('asker')),
    declared: toBreakdown('declared', tally.otherScore('declared')),
    scoring: scoringVersion,
  }
}

export type Calibration = ReturnType<typeof toCalibration>
