import { z } from 'zod'
import { toIsoUtc } from '../../../lib/time.ts'
import { FormInput } from '../forms/schema.ts'
import { consistencyChecks, forecastViews } from '../model/plan.ts'
import { FailedSourcesOut, sourcesInput } from '../model/retrieve.ts'
import { comparisons } from '../record/entry.ts'
import { DomainWord, SignedStatementOut } from '../record/output.ts'
import { engines } from './decide.ts'
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
  sources: sourcesInput.optional().describe('Pages that a model reads as what strangers wrote'),
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

const texts = (item: string, what: string) => z.array(z.string().describe(item)).describe(what)
const pair = (what: string) =>
  z.array(z.number().describe('Low, then high')).length(2).nullable().describe(what)

/** Reading of the text of a question. */
export const ReadingOut = z
  .object({
    asset: z.string().describe('Of what'),
    is: z.enum(['>', '>=', '<', '<=']).nullable().describe('Side; null where the value decides'),
    threshold: z.number().describe('Threshold'),
    currency: z.string().nullable().describe('Currency'),
    when: z.enum(['at', 'until']).describe('On the close date, or once until then'),
  })
  .nullable()
  .describe('What the text was read as; null where it is no level')

const FormOut = z
  .object({
    kind: z.string().describe('Form'),
    event: z.string().describe('The event that was computed; a denial in the question turns it around'),
    probability: z.number().describe('Probability of that event'),
    parameters: z
      .array(
        z.object({
          name: z.string().describe('Name'),
          value: z.number().describe('Value'),
          n: z.number().nullable().describe('Cases it was measured on; null for what is given or chosen'),
          source: z.string().describe('Where it is from'),
        }),
      )
      .describe('Every number that went in'),
    skill: z
      .object({
        n: z.number().int().describe('Questions'),
        brier: z.number().describe('Brier score of the form'),
        constant: z.number().describe('Brier score of the best constant of the same questions'),
        note: z.string().describe('How it was measured'),
      })
      .describe('Measured skill of the form'),
    own_record: z
      .object({
        n: z.number().int().describe('Windows as long as the horizon, without overlap'),
        brier: z.number().describe('Brier score of the form on them, each from what lay before'),
        constant: z.number().describe('Brier score of the best constant of them'),
        coverage80: z.number().describe('Share that ended within the 80 % interval'),
      })
      .nullable()
      .describe('The form on your own series, out of time; null below ten windows'),
  })
  .nullable()
  .describe('The form that was computed; null without one')

const ViewOut = z.object({
  view: z.enum([...forecastViews, 'complement']).describe('View'),
  probability: z.number().describe('What it says of the event'),
  reasons: texts('A reason', 'Why'),
  evidence_ids: texts('Id of a source', 'Sources that it rests on'),
  steps: z
    .array(
      z.object({
        text: z.string().describe('Step'),
        probability: z.number().describe('Given the steps before it'),
      }),
    )
    .nullable()
    .describe('Steps that must all come true; null in other views'),
})

/** The answer of a consultation. */
export const ConsultOut = z.object({
  forecast_id: z.string().describe('Id of this answer'),
  question: z.string().describe('The question as it was read'),
  domain: z.string().describe('Domain'),
  tier: z.enum(consultTiers).describe('Tier'),
  engine: z.enum(engines).describe('What answered: a form that is computed, or a model'),
  basis: z.string().describe('What the answer rests on'),
  probability: z.number().describe('Probability of yes'),
  confidence_level: z
    .enum(['low', 'medium', 'high'])
    .describe('By measured skill, or by how far views lie apart'),
  interval80: pair('80 % interval of the value at the close; null where there is no value'),
  rate_interval80: pair('80 % interval of the probability from the counted rate alone; null without one'),
  form: FormOut,
  read: ReadingOut,
  adjustments: z
    .array(
      z.object({
        name: z.string().describe('What moved it'),
        domain: z.string().describe('Domain'),
        delta_log_odds: z.number().describe('By how much'),
        reason: z.string().describe('Why'),
      }),
    )
    .describe('What moved the probability, in order'),
  views: z.array(ViewOut).nullable().describe('What each view of the model said; null without a model'),
  consistency: z
    .array(
      z.object({
        check: z.enum(consistencyChecks).describe('Check'),
        ok: z.boolean().describe('Whether it holds'),
        detail: z.string().describe('Why'),
      }),
    )
    .nullable()
    .describe('What of the views must agree; null without a model'),
  reasoning: texts('A step', 'How it came about'),
  key_uncertainties: texts('An uncertainty', 'What it hangs on'),
  would_change_my_mind: texts('An input', 'What would move it'),
  not_checked: texts('One thing', 'What was not checked'),
  horizon: z
    .object({
      closes_at: z.string().describe('When it closes'),
      days: z.number().describe('Days from now'),
    })
    .describe('The time left'),
  resolution_criteria: z.string().describe('How it comes out'),
  sources: z
    .array(
      z.object({
        id: z.string().describe('What views name it by'),
        title: z.string().describe('Source'),
        url: z.string().describe('Address'),
      }),
    )
    .describe('Sources that were read'),
  failed_sources: FailedSourcesOut,
  cost: z
    .object({
      questions: z.number().int().describe('Questions to the model'),
      input_tokens: z.number().int().describe('Tokens that it read'),
      output_tokens: z.number().int().describe('Tokens that it wrote'),
    })
    .nullable()
    .describe('What the model took; null without one'),
  method: z
    .string()
    .describe(
      'form:…, model or priors; +form, +priors, +evidence, +sources: with those of yours; +slope: stretched',
    ),
  model_version: z.string().describe('Version of the method'),
  created_at: z.string().describe('When'),
  prediction: z
    .object({
      id: z.string().describe('Id in the public record'),
      seq: z.number().int().describe('Place in the record'),
      commitment: z.string().describe('Its hash, which the record shows at once'),
      secret: z.string().describe('Yours alone: with it you resolve the prediction'),
      url: z.url().describe('Where it can be read'),
    })
    .nullable()
    .describe('The prediction as it is registered; null for a market price, which is no forecast of ours'),
  signature: z
    .object(SignedStatementOut)
    .describe('Ed25519 over id, hash of the question, probability and commitment'),
})
