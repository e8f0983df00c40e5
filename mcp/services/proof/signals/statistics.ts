/** Standard deviation of all of the values (divided by n), as numpy has it by default. */
const populationDeviation = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

export type Regime = 'expansion' | 'contraction' | 'neutral'

/** Closes that a regime needs. */
export const regimeCloses = 100

/** Deviation of the last 20 closes over that of the last 100: expansion from 1.3, contraction up to 0.7. */
export const volatilityRegime = (
  closes: readonly number[],
): { ratio: number; regime: Regime } | undefined => {
  if (closes.length < regimeCloses) return undefined
  const whole = populationDeviation(closes.slice(-regimeCloses))
  if (whole === 0) return undefined
  const ratio = populationDeviation(closes.slice(-20)) / whole
  if (ratio >= 1.3) return { ratio, regime: 'expansion' }
  return { ratio, regime: ratio <= 0.7 ? 'contraction' : 'neutral' }
}

/** Annual volatility of the log returns of hourly closes (variance with n - 1); undefined for fewer than three closes. */
export const realizedVolatility = (closes: readonly number[]): number | undefined => {
  const returns = closes.slice(1).map((close, index) => Math.log(close / (closes[index] ?? close)))
  if (returns.length < 2) return undefined
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1)
  return Math.sqrt(variance * 24 * 365)
}

/** A rate of so many hours as one of eight. */
export const toEightHours = (rate: number, hours: number): number => (rate * 8) / hours

/** A rate of so many hours as one of a year, without compounding. */
export const toAnnual = (rate: number, hours: number): number => ((rate * 24) / hours) * 365

export const basisBps = (mark: number, index: number): number => ((mark - index) / index) * 10_000

export const median = (values: readonly number[]): number | undefined => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) return undefined
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
