import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Llm } from '../../../ports/index.ts'
import { type Option, tolerance } from './option.ts'

/** What is not given in numbers, for a model to put into them. */
export type Question = {
  question?: string | undefined
  goal?: string | undefined
  context?: string | undefined
}

const maxValue = 1e12

const Structure = z
  .object({
    unit: z.string().min(1).max(40).describe('Unit of all values, such as USD or points'),
    options: z
      .array(
        z.object({
          name: z.string().min(1).max(100).describe('Name of the option, in the words of the question'),
          reversible: z.boolean().nullable().describe('Whether it can be undone; null where that is unknown'),
          outcomes: z
            .array(
              z.object({
                scenario: z
                  .string()
                  .min(1)
                  .max(100)
                  .describe('The same names for all options where they share scenarios'),
                p: z.number().min(0).max(1).describe('Probability; those of one option sum to 1'),
                value: z.number().min(-maxValue).max(maxValue).describe('What it is worth in the unit'),
              }),
            )
            .min(1)
            .max(10),
        }),
      )
      .max(8)
      .describe('Two or more options; none where the question has no options to choose from'),
    assumptions: z.array(z.string().min(1).max(300)).max(20).describe('What you had to assume'),
    missing: z
      .array(z.string().min(1).max(300))
      .max(10)
      .describe('What one would have to know for better numbers'),
  })
  .superRefine(({ options }, context) => {
    if (options.length === 1)
      context.addIssue({ code: 'custom', path: ['options'], message: 'needs two options' })
    if (new Set(options.map(({ name }) => name)).size < options.length)
      context.addIssue({ code: 'custom', path: ['options'], message: 'names must differ' })
    for (const [index, { outcomes }] of options.entries()) {
      const total = outcomes.reduce((sum, { p }) => sum + p, 0)
      if (Math.abs(total - 1) > 0.001)
        context.addIssue({
          code: 'custom',
          path: ['options', index, 'outcomes'],
          message: `p sums to ${total}, not 1`,
        })
      if (new Set(outcomes.map(({ scenario }) => scenario)).size < outcomes.length)
        context.addIssue({
          code: 'custom',
          path: ['options', index, 'outcomes'],
          message: 'scenarios must differ',
        })
    }
  })

const system = `You turn a decision that somebody describes into options with outcomes, so that arithmetic can choose. You do not choose.
Take only options that the question holds. Use the numbers that are given; where there are none, estimate, and list each estimate among the assumptions. Use the same scenarios with the same probabilities for all options wherever you can.`

export type Structured = {
  unit: string
  options: Option[]
  assumptions: string[]
  missing: string[]
  model: string
}

/** The decision in numbers, as a model guesses them. Throws `invalid_input` where the question holds no options. */
export const structureQuestion = async (
  llm: Llm,
  { question, goal, context }: Question,
  signal: AbortSignal,
): Promise<Structured> => {
  const parts = Object.entries({ question, goal, context }).flatMap(([label, data]) =>
    data === undefined ? [] : [{ label, data }],
  )
  const { value, model } = await llm.ask({
    system,
    messages: [{ role: 'user', content: ['Structure this decision.', ...parts] }],
    schema: Structure,
    maxTokens: 3000,
    signal,
  })
  if (value.options.length === 0) {
    const message = 'holds no options to choose from'
    throw new ToolError('invalid_input', `question: ${message}.`, {
      issues: [{ path: 'question', message }],
      hint: 'Name two options at least, or send them as options with outcomes.',
      params: { missing: value.missing },
    })
  }
  const options = value.options.map(({ name, reversible, outcomes }): Option => {
    const total = outcomes.reduce((sum, { p }) => sum + p, 0)
    const scaled = Math.abs(total - 1) <= tolerance ? 1 : total
    return {
      name,
      ...(reversible !== null && { reversible }),
      outcomes: outcomes.map(outcome => ({ ...outcome, p: outcome.p / scaled })),
    }
  })
  return { unit: value.unit, options, assumptions: value.assumptions, missing: value.missing, model }
}
