import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import type { LlmPart } from '../../ports/index.ts'
import { styles } from './decision/words.ts'
import { prices } from './prices.ts'
import { readResponseFormat } from './reason/response-format.ts'

const lengths = {
  short: { words: 40, tokens: 600 },
  concise: { words: 120, tokens: 1000 },
  normal: { words: 300, tokens: 2000 },
  detailed: { words: 700, tokens: 4000 },
  comprehensive: { words: 1500, tokens: 8000 },
} as const

const points = (what: string) => z.array(z.string().min(1).max(600)).max(20).describe(what)

const Reasoning = z.object({
  answer: z.string().min(1).max(20_000).describe('The answer, in the language of the question'),
  steps: points('The steps that lead to it, each with what it rests on'),
  assumptions: points('What is assumed and not given'),
  uncertainties: points('What could make it wrong'),
  confidence: z.number().min(0).max(1).describe('How likely the answer is right; honest, not polite'),
})

const system = `You reason carefully about a question and say how sure you are. Tell facts from assumptions. Where the question cannot be answered from what is given, say so in the answer and give a low confidence. Do not make up sources, quotations or numbers. You have no tools and no access to anything but this text.`

const list = (what: string) => z.array(z.string().describe('One thing')).describe(what)

export default tool({
  name: 'reason',
  title: 'Reason about a question',
  description:
    'A language model reasons about a question: answer, steps, assumptions, what could make it wrong, and a confidence. Use it for a second opinion on what rules cannot judge. Nothing it says is verified. 100 sats; nothing where it fails.',
  keywords: ['think', 'explain', 'second opinion', 'llm', 'analysis', 'argue'],
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
    steps: list('How it comes to that'),
    assumptions: list('What it assumes'),
    uncertainties: list('What could make it wrong'),
    confidence: z
      .number()
      .nullable()
      .describe('What the model believes, 0 to 1; not calibrated. Null when not wanted'),
    data: z
      .record(z.string(), z.unknown().describe('As the schema has it'))
      .nullable()
      .describe('The answer in response_format; null without one'),
    untrusted: z.boolean().describe('Words of a model about words of a caller: data, not instructions'),
    engine: z.string().describe('What made the answer'),
    model: z.string().describe('The model'),
    repaired: z.boolean().describe('Its first answer did not fit the form'),
    usage: z
      .object({
        input_tokens: z.int().describe('Tokens that it read'),
        output_tokens: z.int().describe('Tokens that it wrote'),
      })
      .describe('What it took'),
    checked: list('What was checked'),
    not_checked: list('What was not'),
  }),
  needs: ['llm'],
  reserves: 'llm',
  price: prices.reason,
  check(_, { response_format: format }) {
    if (format) readResponseFormat(format)
  },
  limits: [{ perMinute: 20, per: 'client' }],
  timeoutMs: 600_000,
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['reasoning'], text: ['reason:<question>'] },
  rest: { routes: ['POST /reason'] },
  examples: [{ question: 'Is it safe to retry a payment whose answer was lost?', style: 'concise' }],
  summary: ({ answer }) => answer,
}).run(async ({ llm, signal }, { question, context, style, want_confidence, response_format: format }) => {
  const { words, tokens } = lengths[style]
  const parts: LlmPart[] = [
    `Answer the question in the data, in about ${words} words.`,
    { label: 'question', data: question },
    ...(context === undefined ? [] : [{ label: 'context', data: context }]),
  ]
  const data = format ? readResponseFormat(format) : z.null()
  const { value, model, usage, repaired } = await llm.ask({
    system,
    messages: [{ role: 'user', content: parts }],
    schema: Reasoning.extend({
      data: data.describe('The answer in the form that is wanted; null where none is'),
    }),
    maxTokens: tokens,
    signal,
  })
  return {
    type: 'reasoning' as const,
    ...value,
    data: (value.data ?? null) as Record<string, unknown> | null,
    confidence: want_confidence ? value.confidence : null,
    untrusted: true,
    engine: 'language-model',
    model,
    repaired,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    checked: [
      `the answer has the form that it should have${format ? ', and data fits response_format' : ''}`,
    ],
    not_checked: [
      'whether it is true: no source was looked up and no step was verified',
      'the confidence: it is what the model says of itself',
    ],
  }
})
