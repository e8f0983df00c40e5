import { clip, expit, logit } from '../../lib/log-odds.ts'

/** A probability and what happened. */
export type Forecast = { probability: number; outcome: 0 | 1 }

/** Forecasts of one probability: how many came true and how many did not. All scores follow from these counts. */
export type Cell = { readonly probability: number; readonly yes: number; readonly no: number }

/** Groups forecasts by probability, in rising order. Throws a RangeError for a probability outside 0 to 1. */
export const toCells = (forecasts: readonly Forecast[]): Cell[] => {
  const yes: number[] = []
  const no: number[] = []
  for (const { probability, outcome } of forecasts) {
    if (!(probability >= 0 && probability <= 1)) throw new RangeError('a probability is between 0 and 1')
    ;(outcome === 1 ? yes : no).push(probability)
  }
  return mergeCells(countRuns(Float64Array.from(yes).sort()), countRuns(Float64Array.from(no).sort()))
}

type Run = readonly [probability: number, count: number]

const countRuns = (sorted: Float64Array): Run[] => {
  const runs: Run[] = []
  let from = 0
  for (let at = 1; at <= sorted.length; at++) {
    const probability = sorted[from] ?? 0
    if (at < sorted.length && sorted[at] === probability) continue
    runs.push([probability, at - from])
    from = at
  }
  return runs
}

const mergeCells = (yes: readonly Run[], no: readonly Run[]): Cell[] => {
  const cells: Cell[] = []
  for (let i = 0, j = 0; i < yes.length || j < no.length; ) {
    const [p = Number.POSITIVE_INFINITY, ups = 0] = yes[i] ?? []
    const [q = Number.POSITIVE_INFINITY, downs = 0] = no[j] ?? []
    const probability = Math.min(p, q)
    cells.push({ probability, yes: p === probability ? ups : 0, no: q === probability ? downs : 0 })
    if (p === probability) i++
    if (q === probability) j++
  }
  return cells
}

export type Interval = readonly [low: number, high: number]

const z95 = 1.959963984540054

/** Wilson's score interval of a rate, 95 % unless told. The whole range where nothing was counted. */
export const wilson = (successes: number, n: number, z = z95): Interval => {
  if (n === 0) return [0, 1]
  const rate = successes / n
  const denominator = 1 + (z * z) / n
  const middle = (rate + (z * z) / (2 * n)) / denominator
  const half = (z / denominator) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))
  // Rounding must not push the ends past what is possible, 0 successes of n among it.
  return [successes === 0 ? 0 : Math.max(0, middle - half), successes === n ? 1 : Math.min(1, middle + half)]
}

/** A stream of numbers from 0 to 1 that follows from its seed (mulberry32), so that every reader draws the same. */
export const openRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A number of the normal law with mean 0 and deviation 1 (Box and Muller). */
export const drawNormal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** How many of `n` succeed with probability `p`: counted by inversion where few do, else by the normal law, which is close then. */
const drawBinomial = (random: () => number, n: number, p: number): number => {
  if (n <= 0 || p <= 0) return 0
  if (p >= 1) return n
  if (p > 0.5) return n - drawBinomial(random, n, 1 - p)
  const mean = n * p
  if (mean > 30) {
    const draw = Math.round(mean + Math.sqrt(mean * (1 - p)) * drawNormal(random))
    return Math.min(n, Math.max(0, draw))
  }
  const ratio = p / (1 - p)
  let term = Math.exp(n * Math.log1p(-p))
  let left = random()
  let count = 0
  while (left > term && count < n) {
    left -= term
    count++
    term *= (ratio * (n - count + 1)) / count
  }
  return count
}

type Loss = { loss: number; count: number }

const replicates = 1000
const seed = 20_130_101

/**
 * Beyond so many different losses, near ones are drawn together: what varies within one of 128 steps is some millionths of the
 * variance of a Brier score.
 */
const maxLosses = 128

const toLosses = (cells: readonly Cell[]): Loss[] => {
  const losses = new Map<number, Loss>()
  const add = (loss: number, count: number) => {
    if (count === 0) return
    const before = losses.get(loss)
    if (before) before.count += count
    else losses.set(loss, { loss, count })
  }
  for (const { probability, yes, no } of cells) {
    add((1 - probability) ** 2, yes)
    add(probability ** 2, no)
  }
  const all = [...losses.values()]
  if (all.length <= maxLosses) return all
  const steps = Array.from({ length: maxLosses }, () => ({ sum: 0, count: 0 }))
  for (const { loss, count } of all) {
    const step = steps[Math.min(maxLosses - 1, Math.floor(loss * maxLosses))]
    if (!step) continue
    step.sum += loss * count
    step.count += count
  }
  return steps.flatMap(({ sum, count }) => (count === 0 ? [] : [{ loss: sum / count, count }]))
}

/** From so many forecasts on, the mean of a resample follows the normal law but for some thousandths of its width. */
const manyForecasts = 10_000

/** Means of resamples of so many forecasts that each is drawn from the law that it follows. */
const drawMeans = (cells: readonly Cell[], n: number): Float64Array => {
  let [sum, squares] = [0, 0]
  for (const { probability, yes, no } of cells) {
    const [one, other] = [(1 - probability) ** 2, probability ** 2]
    sum += yes * one + no * other
    squares += yes * one * one + no * other * other
  }
  const mean = sum / n
  const deviation = Math.sqrt(Math.max(0, squares / n - mean * mean) / n)
  const random = openRandom(seed)
  return Float64Array.from({ length: replicates }, () => mean + deviation * drawNormal(random))
}

const resampleMeans = (cells: readonly Cell[], n: number): Float64Array => {
  const losses = toLosses(cells)
  const random = openRandom(seed)
  return Float64Array.from({ length: replicates }, () => {
    let draws = n
    let counts = n
    let sum = 0
    for (const { loss, count } of losses) {
      const drawn = counts === count ? draws : drawBinomial(random, draws, count / counts)
      sum += drawn * loss
      draws -= drawn
      counts -= count
      if (draws === 0) break
    }
    return sum / n
  })
}

/**
 * The 95 % interval of the mean Brier score by 1,000 resamples with replacement: each draws as many forecasts as there are, by
 * the counts of their losses (a multinomial, binomial by binomial; from 10,000 on by its normal law). The seed is fixed, so that every
 * reader gets the same.
 */
const brierInterval = (cells: readonly Cell[]): Interval | null => {
  let n = 0
  for (const { yes, no } of cells) n += yes + no
  if (n < 2) return null
  const means = (n < manyForecasts ? resampleMeans : drawMeans)(cells, n).sort()
  return [means[Math.floor(replicates * 0.025)] ?? 0, means[Math.ceil(replicates * 0.975) - 1] ?? 1]
}

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
type Bin = {
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
const bucketIndex = (probability: number): number =>
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

/**
 * Murphy's decomposition with the terms within buckets (Stephenson, Coelho and Jolliffe 2008):
 * Brier = reliability − resolution + uncertainty + withinVariance − withinCovariance, to the last digit.
 */
type Murphy = {
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

const minProbability = 1e-4

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

const logLoss = (probability: number): number =>
  -Math.log(Math.min(1 - minProbability, Math.max(minProbability, probability)))

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

/** Below this many scored forecasts the slope is 1: noise would be learned. */
const minSlopeForecasts = 300

/** How much the logarithm of a learned slope is trusted to differ from 0: its standard deviation before anything is counted. */
const slopePrior = 0.25
const steps = 25

/**
 * The slope that log-odds should have been stretched by, as what came true of own forecasts says: the most probable one under a
 * prior around `centre`, by Newton's method. It turns no forecast around and leaves one half where it is. 1 below 300 forecasts.
 */
export const fitSlope = (cells: readonly Cell[], centre = 1): { slope: number; n: number } => {
  const n = cells.reduce((sum, { yes, no }) => sum + yes + no, 0)
  if (n < minSlopeForecasts) return { slope: 1, n }
  let slope = centre
  for (let step = 0; step < steps; step++) {
    let gradient = (centre - slope) / slopePrior ** 2
    let curvature = 1 / slopePrior ** 2
    for (const { probability, yes, no } of cells) {
      const x = logit(clip(probability))
      const p = expit(slope * x)
      gradient += (yes - (yes + no) * p) * x
      curvature += (yes + no) * p * (1 - p) * x * x
    }
    slope = Math.min(3, Math.max(0.3, slope + gradient / curvature))
  }
  return { slope, n }
}

/** The slope of one form of question, drawn towards that of all forms together. 1 below 300 forecasts of the form. */
export const fitFormSlope = (form: readonly Cell[], all: readonly Cell[]): number =>
  fitSlope(form, fitSlope(all).slope).slope

/** A forecast of a question that stands from one time to the next forecast of it, or to its close. Times in milliseconds. */
export type StandingForecast = {
  readonly question: string
  readonly probability: number
  readonly outcome: 0 | 1
  readonly at: number
  readonly closesAt: number
}

/** The mean Brier score of a question over the time that it was open, each moment by the forecast that stood then. */
export const scoreQuestion = (forecasts: readonly StandingForecast[]): number | undefined => {
  const inOrder = forecasts.length < 2 ? forecasts : [...forecasts].sort((one, other) => one.at - other.at)
  let time = 0
  let total = 0
  for (let index = 0; index < inOrder.length; index++) {
    const forecast = inOrder[index]
    if (!forecast) break
    const { probability, outcome, at, closesAt } = forecast
    const until = Math.min(closesAt, inOrder[index + 1]?.at ?? closesAt)
    const span = Math.max(0, until - at)
    time += span
    total += span * (probability - outcome) ** 2
  }
  return time === 0 ? undefined : total / time
}

/** The mean over questions of their time-weighted Brier scores, as forecasting tournaments count it. Null without any. */
export const timeWeightedBrier = (forecasts: readonly StandingForecast[]): number | null => {
  const questions = new Map<string, StandingForecast | StandingForecast[]>()
  for (const forecast of forecasts) {
    const group = questions.get(forecast.question)
    // Most questions are forecast once: an array for each would cost more than the scores.
    if (group === undefined) questions.set(forecast.question, forecast)
    else if (Array.isArray(group)) group.push(forecast)
    else questions.set(forecast.question, [group, forecast])
  }
  let [count, sum] = [0, 0]
  for (const group of questions.values()) {
    const scored = scoreQuestion(Array.isArray(group) ? group : [group])
    if (scored === undefined) continue
    count++
    sum += scored
  }
  return count === 0 ? null : sum / count
}
