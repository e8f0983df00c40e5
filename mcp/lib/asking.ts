import type { z } from 'zod'
import { ToolError } from '../kernel/error.ts'

type Part = string | { label: string; data: string }
type Usage = { inputTokens: number; outputTokens: number }

/** A language model, as it is used here. */
type Model = {
  ask<shape extends z.ZodType>(question: {
    system: string
    messages: readonly [{ role: 'user'; content: readonly Part[] }]
    schema: shape
    maxTokens: number
    temperature: number
    signal: AbortSignal
  }): Promise<{ value: z.output<shape>; usage: Usage; repaired: boolean }>
}

/** A model with what one call asked it, and what that took. */
export type Asking = {
  ask<shape extends z.ZodType>(
    system: string,
    content: readonly Part[],
    schema: shape,
    options?: { temperature?: number; maxTokens?: number },
  ): Promise<z.output<shape>>
  cost(): { questions: number; input_tokens: number; output_tokens: number }
}

/** Tokens of one answer, unless a question says otherwise. */
export const maxAnswerTokens = 1500

/** Opens a count of what one call asks a model. A failure says that nothing was charged for it, and what `hint` adds. */
export const openAsking = (model: Model, signal: AbortSignal, hint = ''): Asking => {
  const total = { questions: 0, input_tokens: 0, output_tokens: 0 }
  return {
    async ask(system, content, schema, { temperature = 0, maxTokens = maxAnswerTokens } = {}) {
      total.questions++
      try {
        const { value, usage } = await model.ask({
          system,
          messages: [{ role: 'user', content }],
          schema,
          maxTokens,
          temperature,
          signal,
        })
        total.input_tokens += usage.inputTokens
        total.output_tokens += usage.outputTokens
        return value
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        throw new ToolError(error.code, error.message, {
          ...error.extra,
          hint: `Nothing was charged. ${hint}`.trim(),
        })
      }
    },
    cost: () => ({ ...total }),
  }
}

/** Waits for views that were asked at once, and goes on with half of them; below that it throws what the model failed with. */
export const withHalf = async <view>(asked: readonly Promise<view>[]): Promise<view[]> => {
  const outcomes = await Promise.allSettled(asked)
  const answered = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (answered.length * 2 < outcomes.length || answered.length === 0)
    throw outcomes.find(outcome => outcome.status === 'rejected')?.reason
  return answered
}
