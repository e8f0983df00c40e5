import type { Cell } from '../scoring/cells.ts'

/** Forecasts are held within these: nothing that is asked is certain. */
export const floor = 0.01
export const clip = (probability: number): number => Math.min(1 - floor, Math.max(floor, probability))

export const logit = (probability: number): number => Math.log(probability / (1 - probability))
export const expit = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

export type Weighted = { readonly probability: number; readonly weight: number }

const inside = (probability: number): number => Math.min(1 - 1e-6, Math.max(1e-6, probability))

/** The weighted mean in log-odds: what independent voices say together. */
export const pool = (voices: readonly Weighted[]): number => {
  const weight = voices.reduce((sum, voice) => sum + voice.weight, 0)
  return expit(
    voices.reduce((sum, voice) => sum + voice.weight * logit(inside(voice.probability)), 0) / weight,
  )
}

/** Below this many scored forecasts the slope is 1: noise would be learned. */
export const minSlopeForecasts = 300

/** How much the logarithm of a learned slope is trusted to differ from 0: its standard deviation before anything is counted. */
const slopePrior = 0.25
const steps = 25

/**
 * The slope that log-odds should have been stretched by, as what came true of own forecasts says: the most probable one under a
 * prior around 1, by Newton's method. It turns no forecast around and leaves one half where it is. 1 below 300 forecasts.
 */
export const fitSlope = (cells: readonly Cell[]): { slope: number; n: number } => {
  const n = cells.reduce((sum, { yes, no }) => sum + yes + no, 0)
  if (n < minSlopeForecasts) return { slope: 1, n }
  let slope = 1
  for (let step = 0; step < steps; step++) {
    let gradient = (1 - slope) / slopePrior ** 2
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

/** The mean in log-odds; from five voices on without a fifth of them at each end. */
export const trimmedMean = (probabilities: readonly number[]): number => {
  const odds = probabilities.map(probability => logit(inside(probability))).sort((a, b) => a - b)
  const cut = Math.floor(odds.length / 5)
  const middle = odds.slice(cut, odds.length - cut)
  return expit(middle.reduce((sum, value) => sum + value, 0) / middle.length)
}
