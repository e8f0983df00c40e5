import { expectedValue } from './measures.ts'
import { type Option, sharedScenarios, valueInScenario } from './option.ts'

/** At which probability of a scenario another option would be as good, with the other probabilities scaled to it. */
export type Flip = {
  /** The option that would be as good. */
  to: string
  /** Of which option the scenario is; null where all share it. */
  option: string | null
  scenario: string
  p: number
  flips_at: number
  /** How far that is from `p`. */
  distance: number
}

const solve = (p: number, gap: number, meanGap: number): number | undefined => {
  if (p >= 1) return undefined
  const others = (meanGap - p * gap) / (1 - p)
  if (others === gap) return undefined
  const q = others / (others - gap)
  return q >= 0 && q <= 1 ? q : undefined
}

type Shift = { option: string | null; scenario: string; p: number; gap: number; meanGap: number }

/** Each probability that can be otherwise, with what the best option is ahead by in its scenario and on average. */
const shifts = (best: Option, rival: Option, options: readonly Option[]): Shift[] => {
  const scenarios = sharedScenarios(options)
  if (scenarios) {
    const meanGap = expectedValue(best) - expectedValue(rival)
    return scenarios.map(({ scenario, p }) => ({
      option: null,
      scenario,
      p,
      gap: valueInScenario(best, scenario) - valueInScenario(rival, scenario),
      meanGap,
    }))
  }
  return [best, rival].flatMap(option => {
    // Only this option's probabilities move; the mean of the other one stays.
    const otherMean = expectedValue(option === best ? rival : best)
    const meanGap = expectedValue(option) - otherMean
    return option.outcomes.map(({ scenario, p, value }, index) => ({
      option: option.name,
      scenario: scenario ?? `outcome ${index + 1}`,
      p,
      gap: value - otherMean,
      meanGap,
    }))
  })
}

/** Finds changes that would flip the choice, nearest first. */
export const findFlips = (best: Option, options: readonly Option[]): Flip[] =>
  options
    .filter(option => option !== best)
    .flatMap(rival =>
      shifts(best, rival, options).flatMap(({ option, scenario, p, gap, meanGap }): Flip[] => {
        const q = solve(p, gap, meanGap)
        if (q === undefined) return []
        return [{ to: rival.name, option, scenario, p, flips_at: q, distance: Math.abs(q - p) }]
      }),
    )
    .sort((a, b) => a.distance - b.distance)
