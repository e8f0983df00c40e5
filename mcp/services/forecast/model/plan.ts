import { maxAnswerTokens } from '../../../lib/asking.ts'

export const forecastViews = ['outside', 'inside', 'decomposition', 'counter'] as const
export type ForecastView = (typeof forecastViews)[number]

/** Forecasts that must agree: the complement, an earlier date, a further threshold, steps of a product, possible outcomes. */
export const consistencyChecks = ['complement', 'earlier_date', 'threshold', 'product', 'sum'] as const

/** Work done for a tier. */
export type TierPlan = {
  /** Results of the search that are read as pages. */
  pages: number
  views: readonly ForecastView[]
  /** How often each view is asked. */
  rounds: number
  /** True when the complement is asked, and a supervisor reviews the views. */
  isReviewed: boolean
}

export const plans: Readonly<Record<'quick' | 'standard' | 'deep' | 'research', TierPlan>> = {
  quick: { pages: 2, views: ['outside', 'inside'], rounds: 1, isReviewed: false },
  standard: { pages: 4, views: forecastViews, rounds: 1, isReviewed: true },
  deep: { pages: 8, views: forecastViews, rounds: 2, isReviewed: true },
  research: { pages: 12, views: forecastViews, rounds: 3, isReviewed: true },
}

/** Milliseconds for reading and asking together. */
export const maxModelMs = 100_000

/** How many questions to the model a plan takes: one that reads the question, its views, the complement and the supervisor. */
const countQuestions = ({ views, rounds, isReviewed }: TierPlan): number =>
  1 + views.length * rounds + (isReviewed ? 2 : 0)

/** A plan in words with its bounds, for the price. */
export const describePlan = (plan: TierPlan, canSearch: boolean): string => {
  const reading = canSearch ? `your sources and up to ${plan.pages} pages of a search` : 'your sources'
  const asking = `${plan.views.join(', ')}${plan.rounds > 1 ? `, ${plan.rounds} times each` : ''}`
  const count = countQuestions(plan)
  return `${reading}; views: ${asking}${plan.isReviewed ? '; complement and supervisor' : ''}; at most ${count} questions of ${maxAnswerTokens} tokens to the model, each once more where its answer does not fit, ${maxModelMs / 1000} s`
}
