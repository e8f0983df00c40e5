import {
  bestValue,
  downsideDeviation,
  expectedGrowth,
  expectedShortfall,
  expectedValue,
  type Kelly,
  kellyFraction,
  lossProbability,
  standardDeviation,
  worstValue,
} from './measures.ts'
import { type Option, sharedScenarios, valueInScenario } from './option.ts'
import { type Flip, findFlips } from './sensitivity.ts'

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

export type Criterion = (typeof criteria)[number]

export type OptionMeasures = {
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
