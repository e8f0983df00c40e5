import { z } from 'zod'
import { consistencyChecks, forecastViews } from '../model/plan.ts'
import { SignedStatementOut } from '../record/output.ts'
import { engines } from './decide.ts'
import { consultTiers } from './tiers.ts'

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
  failed_sources: z
    .array(z.object({ url: z.string().describe('Address'), reason: z.string().describe('Why') }))
    .describe('Sources that could not be read, or that speak to whoever reads them'),
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
