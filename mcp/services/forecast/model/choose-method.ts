import { ToolError } from '../../../kernel/error.ts'
import { type Price, usd } from '../../../kernel/tool.ts'
import { maxAnswerTokens } from '../../../lib/asking.ts'
import { maxModelMs } from './plan.ts'

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
