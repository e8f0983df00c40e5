import { z } from 'zod'

const count = (what: string) => z.number().int().describe(what)
const rate = (what: string) => z.number().nullable().describe(`${what}; null where there is nothing to score`)
const pair = (what: string) =>
  z.array(z.number().describe('Low, then high')).length(2).nullable().describe(what)
const Status = z
  .enum(['insufficient_data', 'small_sample', 'ok'])
  .describe('insufficient_data: nothing scored; small_sample: fewer than 20')

const scoreFields = {
  status: Status,
  scored: count(
    'Predictions that are scored: made without numbers of callers, resolved by a source that the operator vouches for, past their close date; one for what a source says at a place on a day',
  ),
  came_true: count('How many of them came true'),
  brier: rate('Mean of (probability − outcome)²: 0 is perfect, 0.25 always saying one half'),
  brier_interval95: pair('Its 95 % interval by bootstrap'),
  base_rate: rate('Share that came true'),
  log_score: rate('Mean of −ln of the probability of what happened'),
  skill: rate('1 − Brier / uncertainty: gain over always saying the base rate'),
  ece: rate('Expected calibration error over ten buckets'),
  max_calibration_error: rate('Largest error of a bucket'),
  sharpness: rate('Variance of the probabilities'),
  auc: rate('Chance that what came true had the higher probability'),
  accuracy: rate('Share whose more probable side came true'),
}

const BreakdownOut = z.object({
  name: z.string().describe('Name'),
  status: Status,
  scored: scoreFields.scored,
  brier: scoreFields.brier,
  brier_interval95: scoreFields.brier_interval95,
  base_rate: scoreFields.base_rate,
  ece: scoreFields.ece,
})

/** Calibration data, as `toCalibration` makes it. */
export const CalibrationOut = z.object({
  ...scoreFields,
  time_weighted_brier: rate(
    'Mean over questions of their Brier score averaged over the time that they were open',
  ),
  questions: count('Different questions among them'),
  decomposition: z
    .object({
      reliability: z.number().describe('Distance of the curve from the diagonal, squared'),
      resolution: z.number().describe('Spread of the observed rates'),
      uncertainty: z.number().describe('Variance of the outcomes'),
      within_variance: z.number().describe('Variance of the probabilities within buckets'),
      within_covariance: z.number().describe('Twice the covariance with outcomes within buckets'),
    })
    .nullable()
    .describe('brier = reliability − resolution + uncertainty + within_variance − within_covariance'),
  curve: z
    .array(
      z.object({
        from: z.number().describe('Lowest probability of the bucket'),
        to: z.number().describe('End of the bucket'),
        n: count('Predictions in it'),
        yes: count('How many came true'),
        mean_probability: rate('Mean of their probabilities'),
        observed: rate('Share that came true'),
        interval95: pair("Wilson's 95 % interval of that share"),
        consistency95: pair('Where that share lies 95 times of 100 if they are perfectly calibrated'),
        small: z.boolean().describe('Fewer than 20: the share says little'),
      }),
    )
    .describe('Calibration curve by bucket of probability; empty where nothing is scored'),
  predictions: z
    .object({
      registered: count('All that were ever registered'),
      resolved: count('Resolved and not annulled'),
      annulled: count('Annulled, with a reason each'),
      open: count('Not resolved'),
      overdue: count('Open although their close date is past'),
      early: count('Resolved, and scored from their close date on'),
    })
    .describe('Predictions of the record'),
  domains: z
    .array(
      BreakdownOut.extend({
        registered: count('Registered in this domain'),
        resolved: count('Resolved in this domain'),
        annulled: count('Annulled in this domain'),
      }),
    )
    .describe('By domain: the four of the service and those that callers named'),
  methods: z
    .array(BreakdownOut)
    .describe('By method, all of each; those with numbers of callers are in no score above'),
  asker: BreakdownOut.describe('Resolved by the word of buyers alone, apart from all scores above'),
  declared: BreakdownOut.describe('Resolved by sources that buyers chose, apart from all scores above'),
  scoring: z.string().describe('Version of the scoring'),
})

/** A signed statement, as `signStatement` makes it. */
export const SignedStatementOut = {
  canonical: z.string().describe('The exact ASCII text that is signed: canonical JSON'),
  signature: z.string().describe('Ed25519 signature over it, base64'),
  public_key: z.string().describe('The raw public key, base64'),
  key_fingerprint: z.string().describe('First 16 hexadecimal digits of the SHA-256 of the key'),
  alg: z.literal('Ed25519').describe('Algorithm'),
}

export const DomainWord = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be a word of a-z, 0-9 and -, up to 40 characters')
