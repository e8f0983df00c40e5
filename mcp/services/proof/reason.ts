import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { openAsking } from '../../lib/asking.ts'
import { noBasis } from '../../lib/no-basis.ts'
import { styles } from './decision/words.ts'
import { prices } from './prices.ts'
import { readResponseFormat } from './reason/response-format.ts'
import { lengths, maxReasonQuestions, reasonByViews, views } from './reason/views.ts'

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
