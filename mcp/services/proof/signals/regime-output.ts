import { z } from 'zod'

export const RegimeOutput = z
  .object({
    regime: z
      .enum(['risk_on', 'risk_off', 'neutral', 'insufficient_data'])
      .describe('risk_on from a score of 0.25, risk_off from -0.25'),
    score: z.number().nullable().describe('Mean of the components, -1 to 1; null with fewer than three'),
    components: z
      .array(
        z.object({
          name: z.string().describe('Component'),
          score: z.number().describe('-1 to 1'),
          value: z.number().describe('What it is computed from'),
          rule: z.string().describe('How'),
          oldest_age_seconds: z.number().describe('Age of the oldest number in it'),
        }),
      )
      .describe('What the score is made of'),
    missing: z.array(z.string().describe('Component')).describe('Components that could not be computed'),
  })
  .describe('Regime of the market')

export const regimeNotChecked = [
  'interest rates, currencies, shares and other markets than crypto derivatives',
  'whether the regime predicts anything: the thresholds are a convention, not a fit',
]
