import { z } from 'zod'
import { tool, usd } from '../../kernel/tool.ts'
import { auditClaim } from './audit/audit.ts'

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
    'Audits a claim, plan or belief: what it stands on, how claims of its form fail and what shows that early, counterarguments, and the stated confidence moved by arithmetic that is shown. By published rules, no model. Costs 2 USDC on Base.',
  keywords: [
    'pre-mortem',
    'red team a plan',
    'check my reasoning',
    'bias',
    'overconfidence',
    'devil advocate',
    'stress test an argument',
    'find flaws',
    'weak points',
    'critique my plan',
    'poke holes',
    'assumptions',
    'is my argument sound',
    'logical fallacy',
    'blind spots',
    'what could go wrong',
    'challenge a belief',
    'sanity check of an idea',
    'weaknesses of a business plan',
    'Schwachstellen eines Plans',
    'Denkfehler',
    'Argument prüfen',
    'critiquer mon plan',
    'failles du raisonnement',
    'fallos de mi plan',
    'debilidades del argumento',
    'punti deboli del piano',
    'errori di ragionamento',
    'zwakke punten',
    'falhas do plano',
    '論理の弱点',
  ],
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
          likelihood: z.enum(['low', 'medium', 'high']).describe('How likely claims of this form do'),
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
    adjusted_confidence: z.number().describe('The confidence after all steps'),
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
    method: z.literal('rules').describe('By published rules on the form of the claim; no model was asked'),
  }),
  needs: [],
  price: usd('2'),
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
    `${failure_modes.length} failure modes; confidence ${stated_confidence ?? 'not stated'} → ${adjusted_confidence}.`,
}).run(async (_, { claim, stated_confidence, evidence, assumptions, base_rate }) => ({
  ...auditClaim({ claim, evidence, assumptions, confidence: stated_confidence }, base_rate),
  method: 'rules' as const,
}))
