import type { Option, ScenarioOutcome } from './option.ts'

export const expectedValue = ({ outcomes }: Option): number =>
  outcomes.reduce((sum, { p, value }) => sum + p * value, 0)

export const standardDeviation = (option: Option): number => {
  const mean = expectedValue(option)
  return Math.sqrt(option.outcomes.reduce((sum, { p, value }) => sum + p * (value - mean) ** 2, 0))
}

const possible = ({ outcomes }: Option): number[] =>
  outcomes.filter(({ p }) => p > 0).map(({ value }) => value)

export const worstValue = (option: Option): number => Math.min(...possible(option))
export const bestValue = (option: Option): number => Math.max(...possible(option))

export const lossProbability = ({ outcomes }: Option): number =>
  outcomes.reduce((sum, { p, value }) => (value < 0 ? sum + p : sum), 0)

/** Root of the mean square of what falls below zero. */
export const downsideDeviation = ({ outcomes }: Option): number =>
  Math.sqrt(outcomes.reduce((sum, { p, value }) => sum + p * Math.min(value, 0) ** 2, 0))

const byValue = (outcomes: readonly ScenarioOutcome[]): ScenarioOutcome[] =>
  [...outcomes].sort((a, b) => a.value - b.value)

/** Mean of the worst share of outcomes (expected shortfall, conditional value at risk). */
export const expectedShortfall = ({ outcomes }: Option, share = 0.1): number => {
  let rest = share
  const worst: ScenarioOutcome[] = []
  for (const { p, value } of byValue(outcomes)) {
    if (rest <= 0) break
    worst.push({ p: Math.min(p, rest), value })
    rest -= p
  }
  const covered = share - Math.max(0, rest)
  // Shares before values: what is certain is worth exactly itself.
  return worst.reduce((sum, { p, value }) => sum + (p / covered) * value, 0)
}

/** Mean of the logarithm of what a bankroll becomes; -Infinity where it may be lost whole. */
export const expectedGrowth = ({ outcomes }: Option, bankroll: number): number =>
  outcomes.reduce((sum, { p, value }) => {
    if (p === 0) return sum
    const factor = 1 + value / bankroll
    return factor <= 0 ? Number.NEGATIVE_INFINITY : sum + p * Math.log(factor)
  }, 0)

export type Kelly = { fraction: number | null; note: string }

/**
 * The share of a bankroll to stake that makes it grow fastest (Kelly 1956), for returns of the stake: where the derivative of the mean
 * of log(1 + f r) is zero, found by halving. Above 1 it would mean borrowing.
 */
export const kellyFraction = ({ outcomes, stake }: Option): Kelly | undefined => {
  if (stake === undefined) return undefined
  const returns = outcomes.filter(({ p }) => p > 0).map(({ p, value }) => ({ p, r: value / stake }))
  const mean = returns.reduce((sum, { p, r }) => sum + p * r, 0)
  if (mean <= 0) return { fraction: 0, note: 'The expected value is not above zero: stake nothing.' }
  const worst = Math.min(...returns.map(({ r }) => r))
  if (worst >= 0) return { fraction: null, note: 'Nothing can be lost: there is no bound.' }
  const slope = (f: number) => returns.reduce((sum, { p, r }) => sum + (p * r) / (1 + f * r), 0)
  let low = 0
  let high = -1 / worst
  for (let step = 0; step < 200 && high - low > 1e-15 * high; step++) {
    const middle = (low + high) / 2
    if (slope(middle) > 0) low = middle
    else high = middle
  }
  const fraction = (low + high) / 2
  return {
    fraction,
    note:
      fraction > 1
        ? 'Above 1 it would take borrowed money: stake no more than you have.'
        : 'It presumes that the probabilities are right; half of it is the usual choice.',
  }
}
