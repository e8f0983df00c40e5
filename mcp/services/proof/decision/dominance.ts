import { type Option, sharedScenarios, valueIn } from './option.ts'

export type Dominance = { option: string; kind: 'statewise' | 'first_order' }

const epsilon = 1e-9

/** At least as good in every scenario and better in one that is possible. */
const dominatesStatewise = (
  a: Option,
  b: Option,
  scenarios: readonly { scenario: string; p: number }[],
): boolean => {
  const possible = scenarios.filter(({ p }) => p > 0)
  const gaps = possible.map(({ scenario }) => valueIn(a, scenario) - valueIn(b, scenario))
  return gaps.every(gap => gap >= 0) && gaps.some(gap => gap > 0)
}

/** Probability of at most `value`. */
const cumulative = ({ outcomes }: Option, value: number): number =>
  outcomes.reduce((sum, outcome) => (outcome.value <= value ? sum + outcome.p : sum), 0)

/** As likely or likelier to bring more than any value, whatever it is (first-order stochastic dominance). */
const dominatesFirstOrder = (a: Option, b: Option): boolean => {
  const values = [...a.outcomes, ...b.outcomes].map(({ value }) => value)
  const gaps = values.map(value => cumulative(b, value) - cumulative(a, value))
  return gaps.every(gap => gap >= -epsilon) && gaps.some(gap => gap > epsilon)
}

/** Options that are better than one by anybody's taste: nobody who prefers more to less takes it. */
export const findDominators = (option: Option, options: readonly Option[]): Dominance[] => {
  const scenarios = sharedScenarios(options)
  return options.flatMap((other): Dominance[] => {
    if (other === option) return []
    if (scenarios && dominatesStatewise(other, option, scenarios))
      return [{ option: other.name, kind: 'statewise' }]
    return dominatesFirstOrder(other, option) ? [{ option: other.name, kind: 'first_order' }] : []
  })
}
