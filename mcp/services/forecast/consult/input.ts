import { z } from 'zod'
import { toIsoUtc } from '../../../lib/time.ts'
import { comparisons } from '../record/entry.ts'
import { DomainInput } from '../record/output.ts'
import { tiers } from './tiers.ts'

const inner = (what: string) => z.number().gt(0).lt(1).describe(`${what}, between 0 and 1 and neither`)
const short = (max: number) => z.string().trim().min(1).max(max)

/** What both the price and the answer of a consultation are asked with. */
export const questionInput = {
  question: short(2000)
    .min(10)
    .describe('A question that is answered by yes or no at a date: "Will … by 31 December 2027?"'),
  domain: DomainInput.default('general').describe(
    'infrastructure, social, calibration, methodology, or a word of your own',
  ),
  closes_at: z
    .string()
    .max(40)
    .refine(text => toIsoUtc(text) !== null, 'must be a date such as 2027-12-31')
    .optional()
    .describe('When the question closes, ISO 8601; without it the date in the question'),
}

/** Whether a model is asked, where there is one. */
export const methodInput = z
  .enum(['auto', 'reference_class'])
  .default('auto')
  .describe('reference_class asks no model; auto asks one where there is one')

export const tierInput = z.enum(tiers).optional()

/** What a caller may bring to a consultation. */
export const aidInput = {
  market_price: inner('Price of a market on this question').optional(),
  priors: z
    .array(
      z.object({
        probability: inner('A forecast of somebody else'),
        weight: z.number().gt(0).max(10).default(1).describe('Its weight; that of the reference class is 1'),
        source: short(200).optional().describe('Whose it is'),
      }),
    )
    .max(20)
    .optional()
    .describe('Forecasts of others, pooled in log-odds'),
  evidence: z
    .array(
      z
        .object({
          text: short(1000).describe('What was observed'),
          likelihood_ratio: z
            .number()
            .min(0.01)
            .max(100)
            .optional()
            .describe('How much more probable it is if the answer is yes'),
          direction: z.enum(['supports', 'opposes']).optional().describe('In place of a ratio'),
          strength: z
            .enum(['weak', 'moderate', 'strong'])
            .optional()
            .describe('With a direction: a ratio of 1.5, 3 or 8'),
        })
        .refine(
          ({ likelihood_ratio, direction }) => (likelihood_ratio === undefined) !== (direction === undefined),
          'needs either likelihood_ratio or direction',
        ),
    )
    .max(20)
    .optional()
    .describe('Independent observations, by Bayes'),
  base_rate: z
    .object({
      events: z.int().min(0).describe('How often it happened'),
      n: z.int().min(1).max(1e9).describe('In so many cases or periods'),
      period_days: z
        .number()
        .gt(0)
        .max(40_000)
        .optional()
        .describe('Length of a period; without it they are cases'),
      source: short(300).describe('Where that can be looked up'),
    })
    .refine(({ events, n }) => events <= n, { path: ['events'], message: 'must not be above n' })
    .optional()
    .describe('A reference class of your own in place of ours'),
  sources: z
    .array(
      z
        .url({ protocol: /^https?$/ })
        .max(500)
        .describe('Address of a page'),
    )
    .max(5)
    .optional()
    .describe('Pages that a model reads; it takes them for what strangers wrote'),
  resolution_source: z
    .object({
      url: z
        .url({ protocol: /^https?$/ })
        .max(500)
        .transform(text => new URL(text).href)
        .describe('Where the outcome can be read as JSON after the close'),
      pointer: z
        .string()
        .max(200)
        .regex(/^(\/[\x20-\x7e]*)?$/, 'must be a JSON Pointer such as /data/0/value')
        .describe('JSON Pointer (RFC 6901) to the value'),
      is: z.enum(comparisons).describe('How it is compared'),
      value: z
        .string()
        .max(200)
        .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
        .describe('With what, as text'),
    })
    .optional()
    .describe('Resolves the prediction by itself; without it you resolve it'),
}
