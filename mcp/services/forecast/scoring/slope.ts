import { clip, expit, logit } from '../../../lib/log-odds.ts'
import type { Cell } from './cells.ts'

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
