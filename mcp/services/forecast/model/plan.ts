import { ToolError } from '../../../kernel/error.ts'
import { type Price, usd } from '../../../kernel/tool.ts'
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

type Available = { llm?: unknown; fetch?: unknown; workers?: unknown; searchUrl?: string | undefined }

/** Pages of a search that an audit or a choice is given. */
export const maxPages = 6

/**
 * What answers a call: a model where there is one with sources to look at, else what needs none. Throws `unavailable` for a model that
 * was asked for and is not there.
 */
export const chooseMethod = <keyless extends string>(
  { llm, fetch, workers, searchUrl }: Available,
  { method, sources }: { method: 'auto' | 'model' | keyless; sources: readonly string[] },
  keyless: keyless,
): 'model' | keyless => {
  const canAsk = Boolean(llm && fetch && workers)
  const canRead = searchUrl !== undefined || sources.length > 0
  if (method === keyless || (method === 'auto' && !(canAsk && canRead))) return keyless
  if (canAsk && canRead) return 'model'
  throw new ToolError(
    'unavailable',
    canAsk
      ? 'A model needs sources here: a search (FORECAST_SEARCH_URL), or pages that you name.'
      : 'No model is configured here (LLM_URL).',
    {
      reason: canAsk ? 'search_unavailable' : 'engine_unavailable',
      hint: `method: "${keyless}" needs none.`,
    },
  )
}

/** A price in USDC with what it buys from a model, and within which bounds. */
export const modelPrice = (amount: string, what: string, questions: number): Price => ({
  ...usd(amount),
  note: {
    hint: `A model: ${what}, your sources and up to ${maxPages} pages of a search; at most ${questions} questions of ${maxAnswerTokens} tokens, each once more where its answer does not fit, ${maxModelMs / 1000} s.`,
    params: { engine: 'model', basis: 'sources' },
  },
})
