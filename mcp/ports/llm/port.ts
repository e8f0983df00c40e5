import type { z } from 'zod'
import type { Turn } from '../scheduler/port.ts'

/** Words of ours as plain text; what a stranger wrote as `data`, which is marked as such for the model. */
export type LlmPart = string | { label: string; data: string }

export type LlmMessage = { role: 'user' | 'assistant'; content: string | readonly LlmPart[] }

export type LlmQuestion<shape extends z.ZodType> = {
  /** Task of the model; words of ours only. */
  system: string
  messages: readonly [LlmMessage, ...LlmMessage[]]
  /** An object. What it says of bounds is told to the model and checked afterwards. */
  schema: shape
  /** Tokens of the answer. Default 2,000. */
  maxTokens?: number
  /** 0 to 1; left out where the model refuses it. Default 0. */
  temperature?: number
  signal?: AbortSignal
}

export type LlmUsage = { inputTokens: number; outputTokens: number }

export type LlmAnswer<value> = {
  value: value
  /** The model as the API names it. */
  model: string
  /** Over all rounds; 0 where the API counts nothing. */
  usage: LlmUsage
  /** The first answer did not fit and was asked for again. */
  repaired: boolean
}

/** A language model of the operator's. */
export type Llm = {
  /** The model that is configured. */
  readonly model: string
  readonly api: 'openai' | 'anthropic'
  /**
   * Asks for an answer that fits a schema, once more where the first one does not. Throws `upstream` when there is none, with
   * `reason` model_refused, model_cut_off, model_unreadable or model_bad_answer where the model is at fault; `unavailable` when the
   * API does not take what the operator configured, or when no turn comes; `timeout` when the caller's signal aborts.
   */
  ask<shape extends z.ZodType>(question: LlmQuestion<shape>): Promise<LlmAnswer<z.output<shape>>>
  /** The same model on behalf of one call, which is asked when it is the call's turn. */
  forCall?(turn: Turn): Llm
  /** Usage since the start. */
  usage(): LlmUsage & { questions: number; failures: number }
}
