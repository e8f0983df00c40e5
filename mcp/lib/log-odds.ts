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

/** The mean in log-odds; from five voices on without a fifth of them at each end. */
export const trimmedMean = (probabilities: readonly number[]): number => {
  const odds = probabilities.map(probability => logit(inside(probability))).sort((a, b) => a - b)
  const cut = Math.floor(odds.length / 5)
  const middle = odds.slice(cut, odds.length - cut)
  return expit(middle.reduce((sum, value) => sum + value, 0) / middle.length)
}
