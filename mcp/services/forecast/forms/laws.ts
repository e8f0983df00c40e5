import {
  betaQuantile,
  logGamma,
  negativeBinomialCdf,
  negativeBinomialQuantile,
  z80,
} from '../../../lib/distributions.ts'
import { expit, logit } from '../../../lib/log-odds.ts'
import { normalCdf } from '../../../lib/normal.ts'
import { fitted } from './fitted.ts'

type Counted = {
  events: number
  exposureDays: number
}

/**
 * The count of a window of days: negative binomial, with the mean of the counted rate. Its variance is that of the events
 * themselves and of the rate, which was counted over a limited exposure.
 */
export const openCount = ({ events, exposureDays }: Counted, days: number) => {
  const share = days / exposureDays
  const mean = (events + fitted.defaults.prior_events.value) * share
  const size = mean / share
  return {
    mean,
    size,
    /** The chance of at least so many. */
    atLeast: (count: number): number => 1 - negativeBinomialCdf(Math.ceil(count) - 1, mean, size),
    interval: (): [number, number] => [
      negativeBinomialQuantile(0.1, mean, size),
      negativeBinomialQuantile(0.9, mean, size),
    ],
  }
}

/** How often something happened in n periods or cases. */
type EventRate = { events: number; n: number }

/** The posterior of a rate under Jeffreys' prior. */
const toPosterior = ({ events, n }: EventRate): [a: number, b: number] => {
  const prior = fitted.defaults.prior_events.value
  return [events + prior, n - events + prior]
}

/**
 * The chance that nothing happens in so many periods: the mean of (1 − rate)^periods over the posterior of the rate. It falls with
 * every further period, and never below what a constant rate says.
 */
export const chanceOfNone = (rate: EventRate, periods: number): number => {
  const [a, b] = toPosterior(rate)
  return Math.exp(logGamma(b + periods) + logGamma(a + b) - logGamma(b) - logGamma(a + b + periods))
}

/** The chance of at least one event in so many periods at the ends of the 80 % interval of the rate. */
export const rateInterval = (rate: EventRate, periods: number): [low: number, high: number] => {
  const [a, b] = toPosterior(rate)
  const within = (share: number): number => 1 - (1 - betaQuantile(share, a, b)) ** periods
  return [within(0.1), within(0.9)]
}

/** A rank stays as high or higher where it does not move, and as often as not where it does. */
export const chanceOfRank = (rateOfMoving: number, periods: number): number => {
  const unmoved = (1 - rateOfMoving) ** periods
  return unmoved + (1 - unmoved) * fitted.defaults.rank_moved.value
}

export const seasonDays = 365.25

/** Solves a small system of normal equations by elimination with pivots. */
const solve = (matrix: readonly (readonly number[])[], right: readonly number[]): number[] => {
  const rows = matrix.map((row, n) => [...row, right[n] ?? 0])
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let column = 0; column < rows.length; column++) {
    let pivot = column
    for (let row = column + 1; row < rows.length; row++)
      if (Math.abs(cell(row, column)) > Math.abs(cell(pivot, column))) pivot = row
    const [here, there] = [rows[column] ?? [], rows[pivot] ?? []]
    rows[column] = there
    rows[pivot] = here
    for (let row = 0; row < rows.length; row++) {
      if (row === column) continue
      const factor = cell(row, column) / cell(column, column)
      rows[row] = (rows[row] ?? []).map((value, at) => value - factor * cell(column, at))
    }
  }
  return rows.map((_, n) => cell(n, rows.length) / cell(n, n))
}

/** A constant and the harmonics of a year at a day: one below two years of data, two from there on. */
const terms = (day: number, harmonics: number): number[] => [
  1,
  ...Array.from({ length: harmonics }, (_, n) => {
    const angle = (2 * Math.PI * (n + 1) * day) / seasonDays
    return [Math.cos(angle), Math.sin(angle)]
  }).flat(),
]

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/**
 * The chance that a series with a yearly season stands higher than now after so many days: harmonics by least squares, and what is
 * left over fades as it did from point to point. The log-odds are shrunk by what they were worth on later rounds.
 */
export const chanceOfSeasonalRise = (
  series: readonly number[],
  stepDays: number,
  days: number,
  shrink: number,
) => {
  const harmonics = series.length * stepDays >= 2 * seasonDays && series.length >= 16 ? 2 : 1
  const toDay = (n: number): number => (n - series.length + 1) * stepDays
  const rows = series.map((_, n) => terms(toDay(n), harmonics))
  const width = 2 * harmonics + 1
  const range = Array.from({ length: width }, (_, n) => n)
  const weights = solve(
    range.map(i => range.map(j => sumOf(rows.map(row => (row[i] ?? 0) * (row[j] ?? 0))))),
    range.map(i => sumOf(rows.map((row, n) => (row[i] ?? 0) * (series[n] ?? 0)))),
  )
  const expected = (day: number): number =>
    sumOf(terms(day, harmonics).map((term, n) => term * (weights[n] ?? 0)))
  const left = series.map((value, n) => value - expected(toDay(n)))
  const variance = sumOf(left.map(value => value ** 2)) / Math.max(1, series.length - width)
  const lagged = sumOf(left.slice(1).map((value, n) => value * (left[n] ?? 0)))
  const memory = Math.min(0.99, Math.max(0, lagged / Math.max(1e-300, sumOf(left.map(value => value ** 2)))))
  const kept = memory ** (days / stepDays)
  const middle = expected(days) + kept * (left.at(-1) ?? 0)
  const spread = Math.max(1e-9, Math.sqrt(variance * (1 - kept ** 2) * (1 + width / series.length)))
  const z = (middle - (series.at(-1) ?? 0)) / spread
  const bounded = Math.min(1 - 1e-9, Math.max(1e-9, normalCdf(z)))
  return {
    chance: expit(shrink * logit(bounded)),
    middle,
    memory,
    interval: [middle - z80 * spread, middle + z80 * spread] as [number, number],
  }
}

const yearDays = 365.25
const monthDays = yearDays / 12

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const variance = (values: readonly number[]): number => {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}

/** A scale on which steps add up: logarithms where all values are above zero, the values themselves otherwise. */
type Scale = { to(value: number): number; from(value: number): number; isLog: boolean }

const logScale: Scale = { to: Math.log, from: Math.exp, isLog: true }
const plainScale: Scale = { to: value => value, from: value => value, isLog: false }

export const chooseScale = (values: readonly number[]): Scale =>
  values.every(value => value > 0) ? logScale : plainScale

const toSteps = (series: readonly number[], { to }: Scale): number[] =>
  series.slice(1).map((value, n) => to(value) - to(series[n] ?? value))

/** Standard deviation over a year: half of the variance is that of the last 60 days, half that of a year; what is there of them. */
export const yearlyDeviation = (series: readonly number[], stepDays: number, scale: Scale): number => {
  const steps = toSteps(series, scale)
  const within = (days: number): number => variance(steps.slice(-Math.max(7, Math.round(days / stepDays))))
  const perStep = (within(fitted.defaults.short_days.value) + within(fitted.defaults.long_days.value)) / 2
  return Math.sqrt((perStep * yearDays) / stepDays)
}

type RandomWalk = {
  value: number
  scale: Scale
  /** On the scale of the walk, over a year. */
  deviation: number
  /** Past worth of deviations of walks, as a factor. */
  factor: number
}

/** A walk without drift from a value: where it stands after so many days, and how far it gets until then. */
export const openWalk = ({ value, scale, deviation, factor }: RandomWalk, days: number) => {
  const spread = deviation * Math.sqrt(days / yearDays) * factor
  const at = scale.to(value)
  /** Distance in deviations; a threshold that the scale does not have lies below everything. */
  const distance = (threshold: number): number =>
    scale.isLog && threshold <= 0 ? Number.NEGATIVE_INFINITY : (scale.to(threshold) - at) / spread
  return {
    chanceAbove: (threshold: number): number => 1 - normalCdf(distance(threshold)),
    /** By the reflection principle: a walk that gets there ends beyond it as often as not. */
    chanceOfReaching: (threshold: number, direction: 'up' | 'down'): number => {
      const away = direction === 'up' ? distance(threshold) : -distance(threshold)
      return away <= 0 ? 1 : Math.min(1, 2 * (1 - normalCdf(away)))
    },
    interval: (): [number, number] => [scale.from(at - z80 * spread), scale.from(at + z80 * spread)],
  }
}

/**
 * The chance that a series stands higher than now after so many days: its drift is shrunk towards zero by what drifts of such series
 * were (standard deviations per root month), and what is left unknown of it widens the outcome.
 */
export const chanceOfRise = (series: readonly number[], stepDays: number, days: number, driftSd: number) => {
  const scale = chooseScale(series)
  const steps = toSteps(series, scale)
  const months = (steps.length * stepDays) / monthDays
  const perMonth = Math.sqrt((variance(steps) * monthDays) / stepDays)
  const measured = (mean(steps) * monthDays) / stepDays / perMonth
  const prior = driftSd ** 2
  const kept = prior / (prior + 1 / months)
  const drift = measured * kept
  const horizon = days / monthDays
  const spread = Math.sqrt(horizon * (1 + horizon * kept * (1 / months)))
  const now = scale.to(series.at(-1) ?? 0)
  const end = (z: number): number => scale.from(now + perMonth * (drift * horizon + z * spread))
  return {
    chance: normalCdf((drift * horizon) / spread),
    drift,
    kept,
    interval: [end(-z80), end(z80)] as [number, number],
  }
}
