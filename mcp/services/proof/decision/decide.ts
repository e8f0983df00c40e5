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
const sharedScenarios = (options: readonly Option[]): { scenario: string; p: number }[] | undefined => {
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

export const expectedValue = ({ outcomes }: Option): number =>
  outcomes.reduce((sum, { p, value }) => sum + p * value, 0)

const standardDeviation = (option: Option): number => {
  const mean = expectedValue(option)
  return Math.sqrt(option.outcomes.reduce((sum, { p, value }) => sum + p * (value - mean) ** 2, 0))
}

const possible = ({ outcomes }: Option): number[] =>
  outcomes.filter(({ p }) => p > 0).map(({ value }) => value)

const worstValue = (option: Option): number => Math.min(...possible(option))
const bestValue = (option: Option): number => Math.max(...possible(option))

const lossProbability = ({ outcomes }: Option): number =>
  outcomes.reduce((sum, { p, value }) => (value < 0 ? sum + p : sum), 0)

/** Root of the mean square of what falls below zero. */
const downsideDeviation = ({ outcomes }: Option): number =>
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
const expectedGrowth = ({ outcomes }: Option, bankroll: number): number =>
  outcomes.reduce((sum, { p, value }) => {
    if (p === 0) return sum
    const factor = 1 + value / bankroll
    return factor <= 0 ? Number.NEGATIVE_INFINITY : sum + p * Math.log(factor)
  }, 0)

type Kelly = { fraction: number | null; note: string }

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

/** At which probability of a scenario another option would be as good, with the other probabilities scaled to it. */
type Flip = {
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
const findFlips = (best: Option, options: readonly Option[]): Flip[] =>
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

type Dominance = { option: string; kind: 'statewise' | 'first_order' }

const epsilon = 1e-9

/** At least as good in every scenario and better in one that is possible. */
const dominatesStatewise = (
  a: Option,
  b: Option,
  scenarios: readonly { scenario: string; p: number }[],
): boolean => {
  const possible = scenarios.filter(({ p }) => p > 0)
  const gaps = possible.map(({ scenario }) => valueInScenario(a, scenario) - valueInScenario(b, scenario))
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
const findDominators = (option: Option, options: readonly Option[]): Dominance[] => {
  const scenarios = sharedScenarios(options)
  return options.flatMap((other): Dominance[] => {
    if (other === option) return []
    if (scenarios && dominatesStatewise(other, option, scenarios))
      return [{ option: other.name, kind: 'statewise' }]
    return dominatesFirstOrder(other, option) ? [{ option: other.name, kind: 'first_order' }] : []
  })
}

export const criteria = [
  'expected_value',
  'worst_case',
  'expected_shortfall',
  'minimax_regret',
  'growth',
] as const

type Criterion = (typeof criteria)[number]

type OptionMeasures = {
  name: string
  expected_value: number
  standard_deviation: number
  worst: number
  best: number
  loss_probability: number
  downside_deviation: number
  expected_shortfall: number
  max_regret: number | null
  growth: number | null
  kelly: Kelly | null
  dominated_by: Dominance[]
  reversible: boolean | null
}

export type Decision = {
  recommendation: string
  criterion: Criterion
  /** The choice of each criterion that can be reckoned. */
  by_criterion: { criterion: Criterion; option: string }[]
  options: OptionMeasures[]
  margin: number
  flips: Flip[]
  confidence: number
  notes: string[]
  notReckoned: string[]
}

/** Most that an option may fall short of the best one, over all scenarios. */
const maxRegret = (
  option: Option,
  options: readonly Option[],
  scenarios: readonly { scenario: string; p: number }[],
) =>
  Math.max(
    ...scenarios
      .filter(({ p }) => p > 0)
      .map(
        ({ scenario }) =>
          Math.max(...options.map(other => valueInScenario(other, scenario))) -
          valueInScenario(option, scenario),
      ),
  )

const scores: Readonly<Record<Criterion, (measures: OptionMeasures) => number>> = {
  expected_value: measures => measures.expected_value,
  worst_case: ({ worst }) => worst,
  expected_shortfall: measures => measures.expected_shortfall,
  minimax_regret: ({ max_regret }) => -(max_regret ?? Number.POSITIVE_INFINITY),
  growth: ({ growth }) => growth ?? Number.NEGATIVE_INFINITY,
}

/** The best by a criterion; of equal ones that with the higher mean, the better worst case, and then the first. */
const rankBy = (criterion: Criterion, all: readonly OptionMeasures[]): OptionMeasures[] => {
  const keys = [scores[criterion], scores.expected_value, scores.worst_case]
  return [...all].sort((a, b) => {
    for (const key of keys) {
      const [left, right] = [key(a), key(b)]
      if (left !== right) return right > left ? 1 : -1
    }
    return 0
  })
}

/** An undoable option costs little more than the best one, in shares of the distance between best and worst mean. */
const closeShare = 0.1

const findReversible = (
  chosen: OptionMeasures,
  undominated: readonly OptionMeasures[],
): OptionMeasures | undefined => {
  if (chosen.reversible !== false) return undefined
  const spread = chosen.best - chosen.worst
  return undominated.find(
    other => other.reversible === true && chosen.expected_value - other.expected_value <= closeShare * spread,
  )
}

type Question = { options: readonly Option[]; criterion: Criterion; bankroll?: number | undefined }

/**
 * Chooses by arithmetic alone: a dominated option never, else the best by the criterion. Confidence is the share of criteria that
 * agree, less up to a half where a small change of a probability would turn the choice.
 */
export const decide = ({ options, criterion, bankroll }: Question): Decision => {
  const scenarios = sharedScenarios(options)
  const computeGrowth = (option: Option): number | null => {
    if (bankroll === undefined) return null
    const growth = expectedGrowth(option, bankroll)
    return Number.isFinite(growth) ? growth : null
  }
  const measures = options.map(
    (option): OptionMeasures => ({
      name: option.name,
      expected_value: expectedValue(option),
      standard_deviation: standardDeviation(option),
      worst: worstValue(option),
      best: bestValue(option),
      loss_probability: lossProbability(option),
      downside_deviation: downsideDeviation(option),
      expected_shortfall: expectedShortfall(option),
      max_regret: scenarios ? maxRegret(option, options, scenarios) : null,
      growth: computeGrowth(option),
      kelly: kellyFraction(option) ?? null,
      dominated_by: findDominators(option, options),
      reversible: option.reversible ?? null,
    }),
  )
  const withoutDominators = measures.filter(({ dominated_by }) => dominated_by.length === 0)
  // Rounding may make a circle of options that are all but equal.
  const undominated = withoutDominators.length > 0 ? withoutDominators : measures
  const isReckoned = (name: Criterion) =>
    (name !== 'minimax_regret' || scenarios !== undefined) && (name !== 'growth' || bankroll !== undefined)
  const ranked = rankBy(criterion, undominated)
  const chosen = ranked[0]
  if (!chosen) throw new Error('there is nothing to choose from')
  const byCriterion = criteria.filter(isReckoned).map(name => ({
    criterion: name,
    option: rankBy(name, undominated)[0]?.name ?? chosen.name,
  }))
  const rival = rankBy('expected_value', measures).find(({ name }) => name !== chosen.name)
  const best = options.find(({ name }) => name === chosen.name)
  const flips = best ? findFlips(best, options) : []
  const margin = rival ? chosen.expected_value - rival.expected_value : 0
  const agreement = byCriterion.filter(({ option }) => option === chosen.name).length / byCriterion.length
  const nearest = flips[0]?.distance ?? 1
  const steadiness = 0.5 + 0.5 * Math.min(1, nearest / 0.2)
  const alternative = findReversible(chosen, undominated)
  return {
    recommendation: chosen.name,
    criterion,
    by_criterion: byCriterion,
    options: measures,
    margin,
    flips,
    confidence: agreement * steadiness,
    notes: [
      ...measures
        .filter(({ dominated_by }) => dominated_by.length > 0)
        .map(
          ({ name, dominated_by }) =>
            `${name} is dominated by ${dominated_by[0]?.option}: nobody who prefers more takes it.`,
        ),
      ...(chosen.expected_value < 0 && undominated.every(({ expected_value }) => expected_value < 0)
        ? ['Every option loses on average: doing nothing is worth zero, if it can be done.']
        : []),
      ...(alternative
        ? [`${chosen.name} cannot be undone, ${alternative.name} can, and is worth little less on average.`]
        : []),
      ...(bankroll !== undefined && chosen.growth === null
        ? [`${chosen.name} may lose the whole bankroll.`]
        : []),
    ],
    notReckoned: [
      ...(scenarios
        ? []
        : ['regret: the options are not about the same scenarios with the same probabilities']),
      ...(bankroll === undefined ? ['growth: no bankroll is given'] : []),
      ...(options.some(({ stake }) => stake === undefined)
        ? ['Kelly fraction of options without a stake']
        : []),
    ],
  }
}
