import { z80 } from '../../../lib/distributions.ts'
import { normalCdf } from '../../../lib/normal.ts'
import { fitted } from './fitted.ts'

const yearDays = 365.25
const monthDays = yearDays / 12

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const variance = (values: readonly number[]): number => {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}

/** A scale on which steps add up: logarithms where all values are above zero, the values themselves otherwise. */
export type Scale = { to(value: number): number; from(value: number): number; isLog: boolean }

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

export type RandomWalk = {
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
