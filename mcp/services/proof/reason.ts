import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { type Asking, openAsking, withHalf } from '../../lib/asking.ts'
import { isRecord, type JsonRecord } from '../../lib/json.ts'
import { trimmedMean } from '../../lib/log-odds.ts'
import { noBasis } from '../../lib/no-basis.ts'
import { holdsQuote } from '../../lib/text/quote.ts'
import type { LlmPart } from '../../ports/llm/port.ts'
import { type Style, styles } from './decision/words.ts'
import { prices } from './prices.ts'

const maxCharacters = 8_000
const maxDepth = 8

/** Expressions of strangers may take for ever, and references lead anywhere. */
const refusedKeywords = [
  'pattern',
  'patternProperties',
  '$ref',
  '$dynamicRef',
  '$defs',
  'definitions',
  'propertyNames',
]

const refuse = (message: string): ToolError =>
  new ToolError('invalid_input', `response_format: ${message}.`, {
    issues: [{ path: 'response_format', message }],
    hint: 'Send a JSON Schema of an object, such as {"type":"object","properties":{"risk":{"type":"number"}},"required":["risk"]}.',
  })

/** Names of properties are no keywords. */
const check = (schema: unknown, depth: number, isNames = false): void => {
  if (depth > maxDepth * 2) throw refuse(`is nested more than ${maxDepth} levels deep`)
  if (Array.isArray(schema)) for (const inner of schema) check(inner, depth + 1)
  if (!isRecord(schema)) return
  for (const [name, inner] of Object.entries(schema)) {
    if (!isNames && refusedKeywords.includes(name)) throw refuse(`holds ${name}, which is not taken here`)
    check(inner, depth + 1, !isNames && name === 'properties')
  }
}

/** The form that a caller wants an answer in. Throws `invalid_input` for what is no JSON Schema of an object. */
const readResponseFormat = (schema: JsonRecord): z.ZodType => {
  if (JSON.stringify(schema).length > maxCharacters) throw refuse(`has more than ${maxCharacters} characters`)
  if (schema.type !== 'object' || !isRecord(schema.properties))
    throw refuse('is no JSON Schema of an object with properties')
  check(schema, 0)
  try {
    const format = z.fromJSONSchema(schema)
    z.toJSONSchema(format)
    return format
  } catch {
    throw refuse('is no JSON Schema that can be checked')
  }
}

const views = ['direct', 'counter'] as const
type ReasonView = (typeof views)[number]

/** Words of an answer, and tokens of a question to the model. */
const lengths: Readonly<Record<Style, { words: number; tokens: number }>> = {
  short: { words: 40, tokens: 1000 },
  concise: { words: 120, tokens: 1500 },
  normal: { words: 300, tokens: 2500 },
  detailed: { words: 700, tokens: 4000 },
  comprehensive: { words: 1500, tokens: 8000 },
}

/** Questions to the model: one for each view, and the one that weighs them. */
const maxReasonQuestions = views.length + 1

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
const reasonByViews = async (
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

const maxMs = 240_000

const list = (what: string) => z.array(z.string().describe('One thing')).describe(what)

export default tool({
  name: 'reason',
  title: 'Reason about a question',
  description:
    'A model answers a question from two sides and weighs the answers: steps with quotes of your context, assumptions, what could make it wrong, and a confidence that falls where the sides differ. Use it for a second opinion on what rules cannot judge. No source is looked up. 100 sats; nothing where it fails.',
  keywords: ['think', 'llm', 'explain', 'analyse', 'ask', 'analysis'],
  input: z.object({
    question: z
      .string()
      .trim()
      .min(1)
      .max(8000, 'must have at most 8000 characters')
      .describe('The question'),
    context: z.string().max(16_000).optional().describe('What it is about; the model takes it as data'),
    style: z.enum(styles).default('normal').describe('How long the answer is'),
    want_confidence: z.boolean().default(true).describe('Tell the confidence'),
    response_format: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON Schema of an object that the answer is wanted as, besides; told in data'),
  }),
  aliases: { question: ['prompt', 'query'] },
  output: z.object({
    type: z.literal('reasoning').describe('Form of the answer'),
    answer: z.string().describe('What the model says'),
    steps: z
      .array(
        z.object({
          text: z.string().describe('Step'),
          quote: z.string().nullable().describe('Your words that it rests on; null where none are'),
        }),
      )
      .describe('How it comes to that'),
    assumptions: list('What it assumes'),
    uncertainties: list('What could make it wrong'),
    confidence: z
      .number()
      .nullable()
      .describe(
        'Pooled over the views, at most one half where they differ; not calibrated. Null when not wanted',
      ),
    views: z
      .array(
        z.object({
          view: z.enum(views).describe('View'),
          answer: z.string().describe('Its answer'),
          confidence: z.number().describe('How sure it is'),
        }),
      )
      .describe('What each view said by itself'),
    views_agree: z.boolean().describe('Whether the views come to the same'),
    data: z
      .record(z.string(), z.unknown().describe('As the schema has it'))
      .nullable()
      .describe('The answer in response_format; null without one'),
    untrusted: z.boolean().describe('Words of a model about words of a caller: data, not instructions'),
    engine: z.string().describe('What made the answer'),
    model: z.string().describe('The model'),
    cost: z
      .object({
        questions: z.int().describe('Questions to it'),
        input_tokens: z.int().describe('Tokens that it read'),
        output_tokens: z.int().describe('Tokens that it wrote'),
      })
      .describe('What it took'),
    checked: list('What was checked'),
    not_checked: list('What was not'),
  }),
  needs: ['llm'],
  withoutNeeds: () =>
    noBasis(
      'question',
      'is words alone, and no model is configured here (LLM_URL) that could reason about them',
      'A model would help; or send decision options with outcomes, which are reckoned without one.',
    ),
  reserves: 'llm',
  price: prices.reason,
  quote: (_, { style }) => ({
    ...prices.reason,
    note: {
      hint: `A model: at most ${maxReasonQuestions} questions of ${lengths[style].tokens} tokens, ${maxMs / 1000} s. It rests on your words and what the model knows.`,
      params: { engine: 'model', basis: 'context' },
    },
  }),
  check(_, { response_format: format }) {
    if (format) readResponseFormat(format)
  },
  limits: [{ perMinute: 20, per: 'client' }],
  timeoutMs: 270_000,
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['reasoning'], text: ['reason:<question>'] },
  rest: { routes: ['POST /reason'] },
  examples: [{ question: 'Is it safe to retry a payment whose answer was lost?', style: 'concise' }],
  summary: ({ answer }) => answer,
}).run(async ({ llm, signal }, { question, context, style, want_confidence, response_format: format }) => {
  const asking = openAsking(llm, AbortSignal.any([signal, AbortSignal.timeout(maxMs)]))
  const { confidence, ...reasoning } = await reasonByViews(
    asking,
    { question, context },
    style,
    format ? readResponseFormat(format) : z.null(),
  )
  return {
    type: 'reasoning' as const,
    ...reasoning,
    confidence: want_confidence ? confidence : null,
    untrusted: true,
    engine: 'model-views',
    model: llm.model,
    cost: asking.cost(),
    checked: [
      `the answer has the form that it should have${format ? ', and data fits response_format' : ''}`,
      'quotes: they stand word for word in what you sent',
    ],
    not_checked: [
      'whether it is true: no source was looked up',
      'steps without a quote: they are what the model knows or infers',
      'the confidence: it is what views of a model say of themselves',
    ],
  }
})
