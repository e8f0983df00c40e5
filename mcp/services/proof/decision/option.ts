/** One way in which an option may come out. `p` is its probability, `value` what it is worth, in one unit for all options. */
export type ScenarioOutcome = { scenario?: string | undefined; p: number; value: number }

export type Option = {
  name: string
  outcomes: readonly ScenarioOutcome[]
  /** Amount at risk, in the unit of the values. */
  stake?: number | undefined
  reversible?: boolean | undefined
}

/** Probabilities may be off by what rounding to six digits does. */
export const tolerance = 1e-6

/**
 * Scenarios with their probabilities where all options are about the same ones, each with the same probability; else undefined, since
 * then nobody knows what one option would have brought where another came out badly.
 */
export const sharedScenarios = (
  options: readonly Option[],
): { scenario: string; p: number }[] | undefined => {
  const [first, ...others] = options
  if (!first) return undefined
  const scenarios = first.outcomes.flatMap(({ scenario, p }) =>
    scenario === undefined ? [] : [{ scenario, p }],
  )
  if (scenarios.length !== first.outcomes.length) return undefined
  const isSame = ({ outcomes }: Option) =>
    outcomes.length === scenarios.length &&
    scenarios.every(({ scenario, p }) =>
      outcomes.some(outcome => outcome.scenario === scenario && Math.abs(outcome.p - p) <= tolerance),
    )
  return others.every(isSame) ? scenarios : undefined
}

/** Value of an option in a scenario. */
export const valueInScenario = ({ outcomes }: Option, scenario: string): number =>
  outcomes.find(outcome => outcome.scenario === scenario)?.value ?? 0
