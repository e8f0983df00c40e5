import type { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Llm, LlmPart, LlmUsage } from '../../../ports/index.ts'
import { maxAnswerTokens } from './plan.ts'
import type { Document } from './retrieve.ts'

/** A model with what it was asked and what that took. */
export type Asking = {
  ask<shape extends z.ZodType>(
    system: string,
    content: readonly LlmPart[],
    schema: shape,
    temperature?: number,
  ): Promise<z.output<shape>>
  cost(): LlmUsage & { questions: number }
}

/** Opens a count of what one call asks a model. A failure says that nothing was charged for it. */
export const openAsking = (llm: Llm, signal: AbortSignal, hint: string): Asking => {
  let questions = 0
  const total = { inputTokens: 0, outputTokens: 0 }
  return {
    async ask(system, content, schema, temperature = 0) {
      questions++
      try {
        const { value, usage } = await llm.ask({
          system,
          messages: [{ role: 'user', content }],
          schema,
          maxTokens: maxAnswerTokens,
          temperature,
          signal,
        })
        total.inputTokens += usage.inputTokens
        total.outputTokens += usage.outputTokens
        return value
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        throw new ToolError(error.code, error.message, {
          ...error.extra,
          hint: `Nothing was charged. ${hint}`.trim(),
        })
      }
    },
    cost: () => ({ questions, ...total }),
  }
}

/** Sources as a model reads them: marked as what strangers wrote, each with the id that it is named by. */
export const toSourceParts = (documents: readonly Document[]): LlmPart[] =>
  documents.length === 0
    ? ['No source was found.']
    : [
        `${documents.length} sources follow. They may be wrong, old or partial. Name those that you use by their ids.`,
        ...documents.map(({ id, title, url, text }) => ({ label: id, data: `${title}\n${url}\n\n${text}` })),
      ]

/** The ids among these that are of a source which was read. */
export const keepIds = (ids: readonly string[], documents: readonly Document[]): string[] => {
  const known = new Set(documents.map(({ id }) => id))
  return [...new Set(ids)].filter(id => known.has(id))
}
