import { round4 } from '../record/canonical.ts'

export type OptionOutcome = { name: string; probability: number; value: number }
/** Facts a model adds to a risk that it found. */
export type RiskFinding = {
  early_warning: string
  lenses: string[]
  sources: { url: string; quote: string }[]
}

export type Risk = {
  factor: string
  likelihood: number
  impact: number
  mitigation?: string | undefined
  found?: RiskFinding
}

export type StrategyOption = {
  name: string
  summary?: string | undefined
  outcomes?: readonly OptionOutcome[] | undefined
  risks?: readonly Risk[] | undefined
  goal_scores?: Readonly<Record<string, number>> | undefined
  /** Impacts of risks that a model found are shares of its goal score, and taken off it. */
  riskShares?: boolean
  metrics?: Readonly<Record<string, number>> | undefined
}

export type Goal = { name: string; weight: number }
export type Constraint = {
  name: string
  metric?: string | undefined
  max?: number | undefined
  min?: number | undefined
}

export type ConstraintCheck = {
  constraint: string
  verdict: 'met' | 'violated' | 'unknown'
  detail: string
}

/** A constraint is judged by a number of the option, or not at all. */
const checkConstraint = (
  { name, metric, max, min }: Constraint,
  { metrics }: StrategyOption,
): ConstraintCheck => {
  const value = metric === undefined ? undefined : metrics?.[metric]
  if (metric === undefined || (max === undefined && min === undefined))
    return { constraint: name, verdict: 'unknown', detail: 'names no metric with a bound' }
  if (value === undefined)
    return { constraint: name, verdict: 'unknown', detail: `the option has no ${metric}` }
  const isMet = (max === undefined || value <= max) && (min === undefined || value >= min)
  const bounds = [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`]
  return {
    constraint: name,
    verdict: isMet ? 'met' : 'violated',
    detail: `${metric} is ${value}, wanted ${bounds.filter(text => text).join(' and ')}`,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const expectedLoss = (risks: readonly Risk[]): number =>
  sum(risks.map(({ likelihood, impact }) => likelihood * impact))

/** Expected value: outcomes by their probabilities, less what the risks cost on average. */
const expectedValue = ({ outcomes = [], risks = [] }: StrategyOption): number | null =>
  outcomes.length === 0
    ? null
    : sum(outcomes.map(({ probability, value }) => probability * value)) - expectedLoss(risks)

/** Mean of the worst tenth of the outcomes (expected shortfall). */
const downside = ({ outcomes = [] }: StrategyOption): number | null => {
  if (outcomes.length === 0) return null
  const tail = 0.1
  let left = tail
  let total = 0
  for (const { probability, value } of [...outcomes].sort((one, other) => one.value - other.value)) {
    const share = Math.min(left, probability)
    total += share * value
    left -= share
  }
  return total / (tail - left)
}

const goalScore = (
  { goal_scores = {}, risks = [], riskShares }: StrategyOption,
  goals: readonly Goal[],
): number | null => {
  const scored = goals.flatMap(({ name, weight }) => {
    const score = goal_scores[name]
    return score === undefined ? [] : [{ score, weight }]
  })
  const weight = sum(scored.map(goal => goal.weight))
  const loss = riskShares ? expectedLoss(risks.filter(({ found }) => found)) : 0
  return weight === 0 ? null : sum(scored.map(goal => goal.weight * goal.score)) / weight - loss
}

/** Largest loss against the best option within one scenario, where all options have outcomes of the same names. */
const maxRegrets = (options: readonly StrategyOption[]): (number | null)[] => {
  const names = (option: StrategyOption) => (option.outcomes ?? []).map(({ name }) => name).sort()
  const [first] = options
  const shared = first ? names(first) : []
  const isShared =
    shared.length > 0 &&
    new Set(shared).size === shared.length &&
    options.every(option => JSON.stringify(names(option)) === JSON.stringify(shared))
  if (!isShared) return options.map(() => null)
  const valueIn = (option: StrategyOption, name: string) =>
    option.outcomes?.find(outcome => outcome.name === name)?.value ?? 0
  return options.map(option =>
    Math.max(
      ...shared.map(name => Math.max(...options.map(other => valueIn(other, name))) - valueIn(option, name)),
    ),
  )
}

/** Assesses each option by numbers. */
export const assessOptions = (
  options: readonly StrategyOption[],
  goals: readonly Goal[],
  constraints: readonly Constraint[],
) => {
  const regrets = maxRegrets(options)
  return options.map((option, index) => {
    const value = expectedValue(option)
    const checks = constraints.map(constraint => checkConstraint(constraint, option))
    const { outcomes = [], risks = [] } = option
    const regret = regrets[index] ?? null
    const worst = downside(option)
    const score = goalScore(option, goals)
    return {
      name: option.name,
      summary: option.summary ?? '',
      expected_value: value === null ? null : round4(value),
      downside: worst === null ? null : round4(worst),
      max_regret: regret === null ? null : round4(regret),
      probability_success:
        outcomes.length === 0
          ? null
          : round4(sum(outcomes.filter(({ value }) => value > 0).map(({ probability }) => probability))),
      goal_score: score === null ? null : round4(score),
      risks: [...risks]
        .sort((one, other) => other.likelihood * other.impact - one.likelihood * one.impact)
        .map(({ factor, likelihood, impact, mitigation, found }) => ({
          factor,
          likelihood: round4(likelihood),
          impact,
          expected_loss: round4(likelihood * impact),
          mitigation: mitigation ?? null,
          found_by: found ? ('model' as const) : ('caller' as const),
          early_warning: found?.early_warning ?? null,
          lenses: found?.lenses ?? null,
          sources: found?.sources ?? [],
        })),
      constraint_check: checks,
      violates: checks.some(({ verdict }) => verdict === 'violated'),
    }
  })
}

export type Assessed = ReturnType<typeof assessOptions>[number]

const rank = (options: readonly Assessed[]): { by: 'expected_value' | 'goal_score'; order: Assessed[] } => {
  const by = options.every(option => option.expected_value !== null) ? 'expected_value' : 'goal_score'
  const allowed = options.filter(({ violates }) => !violates)
  return { by, order: [...allowed].sort((one, other) => (other[by] ?? 0) - (one[by] ?? 0)) }
}

/** How far each number of the first option may fall before the second is as good. */
const toTriggers = (option: StrategyOption, first: Assessed, second: Assessed | undefined): string[] => {
  if (!second || first.expected_value === null || second.expected_value === null) return []
  const lead = first.expected_value - second.expected_value
  const outcomes = (option.outcomes ?? []).flatMap(({ name, probability, value }) =>
    probability > 0 && lead > 0
      ? [
          `If "${name}" is worth less than ${round4(value - lead / probability)} in place of ${value}, ${second.name} is better.`,
        ]
      : [],
  )
  const risks = (option.risks ?? []).flatMap(({ factor, likelihood, impact }) => {
    const limit = impact > 0 ? likelihood + lead / impact : Number.POSITIVE_INFINITY
    return limit <= 1
      ? [
          `If "${factor}" is more likely than ${round4(limit)} in place of ${likelihood}, ${second.name} is better.`,
        ]
      : []
  })
  return [...outcomes, ...risks]
}

/** The best option that violates no constraint, why, and what would reverse it. Undefined where all violate one. */
export const recommendOption = (options: readonly StrategyOption[], assessed: readonly Assessed[]) => {
  const { by, order } = rank(assessed)
  const [first, second] = order
  if (!first) return undefined
  const [one, other] = [first[by] ?? 0, second?.[by] ?? null]
  const lead = other === null ? null : one - other
  const scale = Math.max(Math.abs(one), Math.abs(other ?? 0), 1e-9)
  const unknown = first.constraint_check.filter(({ verdict }) => verdict === 'unknown').length
  const isClear = lead === null || lead / scale > 0.25
  const chosen = options.find(({ name }) => name === first.name)
  return {
    option: first.name,
    by,
    why:
      other === null
        ? `It is the only option that violates no constraint; its ${by} is ${one}.`
        : `Its ${by} is ${one}, that of ${second?.name} ${other}.`,
    lead: lead === null ? null : round4(lead),
    confidence:
      !isClear || unknown > 1 ? ('low' as const) : unknown > 0 ? ('medium' as const) : ('high' as const),
    reversal_triggers: [
      ...(chosen ? toTriggers(chosen, first, second) : []),
      ...first.constraint_check
        .filter(({ verdict }) => verdict === 'unknown')
        .map(({ constraint }) => `If it turns out to violate "${constraint}", which no number shows.`),
    ],
  }
}
