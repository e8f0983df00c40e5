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

/** The chance of an event within `days`, when its chance within `periodDays` is known and its hazard stays the same. */
export const scaleHazard = (probability: number, periodDays: number, days: number): number =>
  1 - (1 - probability) ** (days / periodDays)

export type Calibrator = { readonly intercept: number; readonly slope: number; readonly n: number }

/** Below this many scored forecasts nothing is recalibrated: noise would be learned. */
export const minRecalibration = 200

const steps = 25

/**
 * Platt scaling by Newton's method: log-odds become intercept + slope × log-odds, fitted to what came true. Undefined below 200
 * forecasts, or where the fit would turn forecasts around.
 */
export const fitCalibrator = (cells: readonly Cell[]): Calibrator | undefined => {
  const n = cells.reduce((sum, { yes, no }) => sum + yes + no, 0)
  if (n < minRecalibration) return undefined
  let [intercept, slope] = [0, 1]
  for (let step = 0; step < steps; step++) {
    let [ga, gb, haa, hab, hbb] = [0, 0, 1e-6, 0, 1e-6]
    for (const { probability, yes, no } of cells) {
      const x = logit(clip(probability))
      const p = expit(intercept + slope * x)
      const residual = yes - (yes + no) * p
      const weight = (yes + no) * p * (1 - p)
      ga += residual
      gb += residual * x
      haa += weight
      hab += weight * x
      hbb += weight * x * x
    }
    const determinant = haa * hbb - hab * hab
    if (!(determinant > 1e-9)) return undefined
    intercept += (ga * hbb - gb * hab) / determinant
    slope += (gb * haa - ga * hab) / determinant
  }
  return slope > 0.2 && slope < 5 && Math.abs(intercept) < 3 ? { intercept, slope, n } : undefined
}

/** A forecast as what came true of others says it should have been. */
export const recalibrate = (probability: number, { intercept, slope }: Calibrator): number =>
  expit(intercept + slope * logit(clip(probability)))
