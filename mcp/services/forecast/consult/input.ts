import { z } from 'zod'
import { toIsoUtc } from '../../../lib/time.ts'
import { FormInput } from '../forms/schema.ts'
import { comparisons } from '../record/entry.ts'
import { DomainWord } from '../record/output.ts'
import { consultTiers } from './tiers.ts'

const inner = (what: string) => z.number().gt(0).lt(1).describe(what)
const short = (max: number) => z.string().trim().min(1).max(max)

/** Input of both the price and the answer of a consultation. */
export const questionInput = {
  question: short(2000)
    .min(10)
    .describe('A question that is answered by yes or no at a date: "Will … by 31 December 2027?"'),
  domain: DomainWord.default('general').describe('A word, such as infrastructure'),
  closes_at: z
    .string()
    .max(40)
    .refine(text => toIsoUtc(text) !== null, 'must be a date such as 2027-12-31')
    .optional()
    .describe('When the question closes, ISO 8601; without it the date in the question'),
}

/** Method that answers. */
export const methodInput = z
  .enum(['auto', 'form', 'model'])
  .default('auto')
  .describe('auto: the form, or else a model')

export const tierInput = z.enum(consultTiers).optional()

/** Aids that a caller may bring to a consultation. */
export const aidInput = {
  form: FormInput.optional().describe('Form of the question with its numbers: of the event, without denial'),
  priors: z
    .array(
      z.object({
        probability: inner('Theirs'),
        weight: z.number().gt(0).max(10).default(1).describe('That of form or model is 1'),
      }),
    )
    .max(20)
    .optional()
    .describe('Forecasts of others, pooled in log-odds'),
  evidence: z
    .array(
      z.object({
        text: short(1000).describe('What was observed'),
        likelihood_ratio: z
          .number()
          .min(0.01)
          .max(100)
          .describe('How much more probable it is if the answer is yes'),
      }),
    )
    .max(20)
    .optional()
    .describe('Independent observations, by Bayes'),
  sources: z
    .array(
      z
        .url({ protocol: /^https?$/ })
        .max(500)
        .describe('Address of a page'),
    )
    .max(5)
    .optional()
    .describe('Pages that a model reads as what strangers wrote'),
  resolution_source: z
    .object({
      url: z
        .string()
        .max(500)
        .refine(
          text => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
          'must be an http(s) address',
        )
        .transform(text => new URL(text).href)
        .describe('JSON after the close'),
      pointer: z
        .string()
        .max(200)
        .refine(text => /^(\/[\x20-\x7e]*)?$/.test(text), 'must be a JSON Pointer such as /data/0/value')
        .describe('JSON Pointer (RFC 6901)'),
      is: z.enum(comparisons).describe('Comparison'),
      value: z
        .string()
        .max(200)
        .refine(text => /^[\x20-\x7e]+$/.test(text), 'must be printable ASCII')
        .describe('With what, as text'),
    })
    .optional()
    .describe('Resolves the prediction by itself'),
}
