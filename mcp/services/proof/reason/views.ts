import { z } from 'zod'
import { type Asking, withHalf } from '../../../lib/asking.ts'
import { trimmedMean } from '../../../lib/log-odds.ts'
import { holdsQuote } from '../../../lib/text/quote.ts'
import type { LlmPart } from '../../../ports/llm/port.ts'
import type { Style } from '../decision/words.ts'

export const views = ['direct', 'counter'] as const
export type ReasonView = (typeof views)[number]

/** Words of an answer, and tokens of a question to the model. */
export const lengths: Readonly<Record<Style, { words: number; tokens: number }>> = {
  short: { words: 40, tokens: 1000 },
  concise: { words: 120, tokens: 1500 },
  normal: { words: 300, tokens: 2500 },
  detailed: { words: 700, tokens: 4000 },
  comprehensive: { words: 1500, tokens: 8000 },
}

/** Questions to the model: one for each view, and the one that weighs them. */
export const maxReasonQuestions = views.length + 1

const points = (what: string) => z.array(z.string().min(1).max(600)).max(20).describe(what)
const chance = (what: string) => z.number().min(0).max(1).describe(what)

const Viewed = z.object({
  steps: z
    .array(
      z.object({
        text: z.string().min(1).max(600).describe('Step'),
        quote: z.string().max(300).describe('Very words of the data that it rests on; empty where none are'),
      }),
    )
    .max(20)
    .describe('The steps that lead to the answer'),
  assumptions: points('What is assumed and not given'),
  uncertainties: points('What could make it wrong'),
  answer: z.string().min(1).max(20_000).describe('The answer, in the language of the question'),
  confidence: chance('How likely the answer is right; honest, not polite'),
})

const rules = `Tell facts from assumptions, and quote the data where a step rests on them. Where the question cannot be answered from what is given,
say so and give a low confidence. Do not make up sources, quotations or numbers. You have no tools and no access to anything but this text.`

const prompts: Readonly<Record<ReasonView, string>> = {
  direct: `You answer a question step by step, from what is given to the answer. ${rules}`,
  counter: `You answer a question from the other side: name the answer that most would give at once, look for the strongest reason why it is
wrong or asks the wrong thing, check how good that reason is, and then answer. ${rules}`,
}

const supervisor = `You weigh answers that others gave to a question. Look for steps that do not follow, for facts that nobody gave, and for what
both overlook. Keep what holds, and answer. ${rules}`

/**
 * Lets a model answer from two sides that do not see each other, and weigh them. A quote that the data do not hold is dropped. The
 * confidence is pooled in log-odds, and at most one half where the sides come to different answers.
 */
export const reasonByViews = async (
  { ask }: Asking,
  { question, context }: { question: string; context: string | undefined },
  style: Style,
  format: z.ZodType,
) => {
  const { words, tokens: maxTokens } = lengths[style]
  const data: LlmPart[] = [
    { label: 'question', data: question },
    ...(context === undefined ? [] : [{ label: 'context', data: context }]),
  ]
  const task = `Answer the question in the data, in about ${words} words.`
  const answered = await withHalf(
    views.map(async view => ({
      view,
      ...(await ask(prompts[view], [task, ...data], Viewed, { maxTokens, temperature: 0.7 })),
    })),
  )
  const weighed = await ask(
    supervisor,
    [
      task,
      ...data,
      'What the others say:',
      ...answered.map(({ view, answer, steps, confidence }) => ({
        label: view,
        data: `${answer}\nConfidence ${confidence}\n${steps.map(({ text }) => `- ${text}`).join('\n')}`,
      })),
    ],
    Viewed.extend({
      agree: z.boolean().describe('Whether the others come to the same answer'),
      data: format.describe('The answer in the form that is wanted; null where none is'),
    }),
    { maxTokens },
  )
  const confidences = [...answered, weighed].map(({ confidence }) => confidence)
  const isAgreed = answered.length < 2 || weighed.agree
  const given = `${question}\n${context ?? ''}`
  return {
    answer: weighed.answer,
    steps: weighed.steps.map(({ text, quote }) => ({ text, quote: holdsQuote(given, quote) ? quote : null })),
    assumptions: weighed.assumptions,
    uncertainties: weighed.uncertainties,
    confidence: Number((isAgreed ? trimmedMean(confidences) : Math.min(0.5, ...confidences)).toFixed(4)),
    views: answered.map(({ view, answer, confidence }) => ({ view, answer, confidence })),
    views_agree: isAgreed,
    data: (weighed.data ?? null) as Record<string, unknown> | null,
  }
}
