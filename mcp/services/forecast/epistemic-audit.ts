import { z } from 'zod'
import { type Price, tool, usd } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { adjustConfidence, auditClaim } from './audit.ts'
import { forecastSettings } from './config.ts'
import { chooseMethod, modelPrice } from './model/plan.ts'
import { FailedSourcesOut, openReading, sourcesInput, toFailedSources } from './model/retrieve.ts'
import { auditByModel } from './model-audit.ts'

const checklistPrice: Price = {
  ...usd('0.02'),
  note: {
    hint: 'No model: a checklist of reasoning; whether the claim is true is not looked at.',
    params: { engine: 'checklist', basis: 'claim' },
  },
}
const auditPrice = modelPrice('2', 'parts of the claim against sources', 2)

const short = (max: number) => z.string().trim().min(1).max(max)
const Strength = z.enum(['weak', 'moderate', 'strong'])

const GroundOut = z.object({
  text: z.string().describe('What was observed'),
  strength: Strength.describe('As you said'),
  source: z.string().nullable().describe('Where it is from'),
})

export default tool({
  name: 'epistemic_audit',
  title: 'Audit a claim',
  description:
    'Goes through a checklist of reasoning for a claim, plan or belief: grounds, gaps, counterarguments, follow-up checks, a stated confidence moved by what you give; whether it is true is not looked at. With a model and sources each part is checked against them, with quotes. Costs 0.02, or 2 with a model, USDC on Base.',
  keywords: ['argument', 'bias', 'critique', 'challenge', 'flaws', 'weak'],
  input: z.object({
    claim: short(2000).min(10).describe('A claim, plan or belief in one or two sentences'),
    stated_confidence: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe('How sure you are, between 0 and 1 and neither'),
    evidence: z
      .array(
        z.object({
          text: short(1000).describe('What was observed'),
          direction: z.enum(['supports', 'opposes']).default('supports').describe('Which way it points'),
          strength: Strength.default('moderate').describe('A likelihood ratio of 1.5, 3 or 8'),
          source: short(300).optional().describe('Where it is from'),
        }),
      )
      .max(30)
      .default([])
      .describe('What speaks for it and against it'),
    assumptions: z
      .array(short(500).describe('An assumption'))
      .max(20)
      .default([])
      .describe('What must be true'),
    base_rate: z
      .object({
        events: z.int().min(0).describe('How often the like held'),
        n: z.int().min(1).max(1e9).describe('Of so many'),
        source: short(300).describe('Where that can be looked up'),
      })
      .refine(({ events, n }) => events <= n, { path: ['events'], message: 'must not be above n' })
      .optional()
      .describe('How often claims like this held'),
    method: z
      .enum(['auto', 'checklist', 'model'])
      .default('auto')
      .describe('auto: a model where there is one with sources'),
    sources: sourcesInput.default([]).describe('Pages that a model reads'),
  }),
  aliases: { claim: ['plan', 'belief'], stated_confidence: ['confidence'] },
  output: z.object({
    claim_map: z
      .object({
        claim: z.string().describe('The claim'),
        grounds: z.array(GroundOut).describe('What supports it'),
        opposing: z.array(GroundOut).describe('What opposes it'),
        warrants: z.array(z.string().describe('A warrant')).describe('What makes a ground one'),
        assumptions: z.array(z.string().describe('An assumption')).describe('What must be true'),
      })
      .describe("The argument by Toulmin's model"),
    failure_modes: z
      .array(
        z.object({
          description: z.string().describe('How it fails'),
          mechanism: z.string().describe('Why'),
          likelihood: z.enum(['low', 'medium', 'high']).describe('How often such a gap is the reason'),
          early_warning: z.string().describe('What shows it early'),
        }),
      )
      .describe('Failure modes'),
    counterarguments: z
      .array(
        z.object({
          text: z.string().describe('Counterargument'),
          strength: Strength.describe('How strong'),
          attacks: z.enum(['claim', 'grounds', 'warrant', 'confidence']).describe('What it attacks'),
        }),
      )
      .describe('Counterarguments'),
    base_rate: z
      .object({
        value: z.number().describe('Rate'),
        events: z.number().int().describe('How often'),
        n: z.number().int().describe('Of so many'),
        source: z.string().describe('Source'),
      })
      .nullable()
      .describe('As you gave it; null without one'),
    stated_confidence: z.number().nullable().describe('As you stated it'),
    confidence_adjustments: z
      .array(
        z.object({
          name: z.string().describe('What moved it'),
          from: z.number().describe('From'),
          to: z.number().describe('To'),
          reason: z.string().describe('By which arithmetic'),
        }),
      )
      .describe('How the confidence was moved, step by step'),
    adjusted_confidence: z
      .number()
      .nullable()
      .describe('The confidence after all steps; null where none was stated'),
    biases: z.array(z.string().describe('A bias')).describe('Biases that the form points to'),
    follow_up_checks: z
      .array(
        z.object({
          check: z.string().describe('What to look at'),
          cost: z.enum(['minutes', 'hours', 'days']).describe('What it costs'),
          would_change: z.string().describe('What would change the result'),
        }),
      )
      .describe('What to do next'),
    parts: z
      .array(
        z.object({
          text: z.string().describe('What the claim says'),
          verdict: z.enum(['supported', 'contradicted', 'not_found']).describe('What sources say of it'),
          source_id: z.string().nullable().describe('Id of the source'),
          url: z.string().nullable().describe('Its address'),
          quote: z.string().nullable().describe('Its very words'),
        }),
      )
      .nullable()
      .describe('Parts of the claim, checked against sources; null without a model'),
    failed_sources: FailedSourcesOut,
    method: z
      .enum(['checklist', 'model'])
      .describe('A checklist of reasoning, or a model with sources besides'),
    truth_checked: z
      .boolean()
      .describe('Whether sources were looked at; false: nothing is said of its truth'),
  }),
  needs: [],
  wants: ['llm', 'fetch', 'workers', forecastSettings.searchUrl],
  timeoutMs: 120_000,
  price: auditPrice,
  check: (ctx, input) => void chooseMethod(ctx, input, 'checklist'),
  quote: (ctx, input) => (chooseMethod(ctx, input, 'checklist') === 'model' ? auditPrice : checklistPrice),
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['audit', 'x402'] },
  rest: { routes: ['POST /expertise/epistemic-audit'] },
  examples: [
    {
      claim: 'The migration will be finished on time because the first service was easy.',
      stated_confidence: 0.9,
      evidence: [{ text: 'The first service took two days.', strength: 'weak' }],
    },
  ],
  summary: ({ stated_confidence, adjusted_confidence, failure_modes }) =>
    stated_confidence === null
      ? `${countText(failure_modes.length, 'gap')} in the reasoning; whether it is true was not looked at.`
      : `${countText(failure_modes.length, 'gap')} in the reasoning; confidence ${stated_confidence} → ${adjusted_confidence}.`,
}).run(async (ctx, { claim, stated_confidence, evidence, assumptions, base_rate, ...input }) => {
  const checklist = auditClaim({ claim, evidence, assumptions, confidence: stated_confidence }, base_rate)
  const reading = openReading(ctx, input, 'checklist', 'an audit by a model')
  if (!reading)
    return {
      ...checklist,
      parts: null,
      failed_sources: [],
      method: 'checklist' as const,
      truth_checked: false,
    }
  const audited = await auditByModel(reading.asking, claim, reading.retrieve)
  // A contradicted part counts against the claim as a strong observation does.
  const against = audited.parts
    .filter(({ verdict }) => verdict === 'contradicted')
    .map(() => ({ direction: 'opposes' as const, strength: 'strong' as const }))
  const steps =
    stated_confidence === undefined
      ? []
      : adjustConfidence(stated_confidence, [...evidence, ...against], base_rate)
  return {
    ...checklist,
    failure_modes: audited.failureModes,
    counterarguments: [
      ...audited.counterarguments.map(text => ({
        text,
        strength: 'moderate' as const,
        attacks: 'claim' as const,
      })),
      ...checklist.counterarguments,
    ],
    confidence_adjustments: steps,
    adjusted_confidence:
      stated_confidence === undefined ? null : (steps.at(-1)?.to ?? checklist.adjusted_confidence),
    parts: audited.parts,
    failed_sources: toFailedSources(audited.failures),
    method: 'model' as const,
    truth_checked: true,
  }
})
