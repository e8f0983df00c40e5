import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { prices } from './prices.ts'
import { module, type Question, type Report, report } from './validate/report.ts'
import { readRows } from './validate/rows.ts'

const maxRows = 20_000
/** Permutations times returns that are worked through in a millisecond or so; more goes to a worker. */
const maxInlineWork = 1_000_000
const workerMs = 5_000

const finite = z.number({ error: 'must be a finite number' })
const fraction = finite
  .min(-1000, 'must be a fraction: 0.01 is 1 %')
  .max(1000, 'must be a fraction: 0.01 is 1 %')
const time = z.union([z.number().min(0).max(1e14), z.string().max(40)], {
  error: 'must be ISO 8601, or Unix seconds or milliseconds',
})
const ratio = z.number().nullable()

const TradeInput = z.strictObject({
  ret: fraction.optional().describe('Return as a fraction, 0.01 for 1 %'),
  pnl: finite.min(-1e15).max(1e15).optional().describe('Profit or loss in money'),
  net_bps: finite.min(-1e7).max(1e7).optional().describe('Return in basis points after costs'),
  coin: z.string().min(1).max(40).optional().describe('What was traded'),
  ts: time.optional().describe('When it counts: ISO 8601, or Unix seconds or milliseconds'),
  entry: time.optional().describe('When it was opened'),
  exit: time.optional().describe('When it was closed'),
})

/** Limits of any list of returns. */
const notChecked = [
  'whether the returns were really made',
  'costs, slippage and capacity, unless the returns are after them',
  'trials that n_trials does not count',
  'the strategy itself, which is never asked for',
  'market regimes: no market data is used',
]

const Input = z.object({
  returns: z
    .array(fraction)
    .max(maxRows)
    .optional()
    .describe('Returns as fractions, oldest first; or trades'),
  trades: z.array(TradeInput).max(maxRows).optional().describe('Trades, oldest first; or returns'),
  n_trials: z
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('Strategies or settings that were tried until this one was chosen. Default: 1'),
  trial_sharpes: z
    .array(z.number().min(-100).max(100))
    .min(2)
    .max(10_000)
    .optional()
    .describe('Sharpe ratios of those trials, per period'),
  k_folds: z.number().int().min(2).max(20).default(5).describe('Folds in time'),
  n_perms: z.number().int().min(200).max(10_000).default(10_000).describe('Sign flips that are drawn'),
  periods_per_year: z
    .number()
    .positive()
    .max(1e8)
    .optional()
    .describe('For the yearly Sharpe ratio alone; no test uses it'),
  seed: z.number().int().min(0).max(4_294_967_295).default(1).describe('Same seed, same answer'),
})

/** Reads the statistical question. Throws `invalid_input` for what tells nothing. */
const readQuestion = (input: z.output<typeof Input>): Question => {
  const { trial_sharpes: trialSharpes, k_folds: folds, n_perms: permutations, seed } = input
  const rows = readRows(input)
  const trials = input.n_trials ?? trialSharpes?.length ?? 1
  if (trialSharpes && trials < trialSharpes.length)
    throw new ToolError('invalid_input', `n_trials is ${trials}, and trial_sharpes has more.`, {
      issues: [{ path: 'n_trials', message: 'must be at least the number of trial_sharpes' }],
      hint: 'Leave n_trials out, or count every trial.',
    })
  if (rows.length < 2 * folds)
    throw new ToolError('invalid_input', `k_folds is ${folds}, too many for ${rows.length} observations.`, {
      issues: [{ path: 'k_folds', message: 'must leave two observations in each fold' }],
    })
  return { rows, trials, trialSharpes, folds, permutations, seed }
}

export default tool({
  name: 'validate',
  title: 'Validate a track record',
  description:
    'Says whether realized returns or trades show an edge or luck: deflated and probabilistic Sharpe ratio, minimum track record, sign-flip permutation test, purged k-fold decay. Use it before trusting a backtest. The strategy is never asked for. 300 sats.',
  keywords: ['statistically', 'significant', 'alpha', 'overfitting', 'psr', 'dsr'],
  input: Input,
  output: z.object({
    verdict: z
      .enum(['likely_real', 'borderline', 'overfit_or_noise'])
      .describe('What the tests say together'),
    reasons: z.array(z.string().describe('A sentence')).describe('Why'),
    engine: z.string().describe('What made the verdict'),
    observations: z.number().int().describe('Returns or trades'),
    units: z.string().describe('What the numbers are per'),
    sharpe: z.number().describe('Mean by standard deviation (n - 1), per period'),
    sharpe_annual: ratio.describe('The same a year; null without periods_per_year'),
    skewness: z.number().describe('Biased'),
    kurtosis: z.number().describe('Biased; 3 for a normal distribution'),
    autocorrelation: z.number().describe('With the return before'),
    psr: z.number().describe('Probability that the true Sharpe ratio is above 0 (2012)'),
    dsr: z.number().describe('Probability that it is above what the best of n_trials shows by luck (2014)'),
    psr_h0_ar1: z.number().describe('The same with variance under the null and autocorrelation (2025)'),
    n_trials: z.number().int().describe('Trials that were counted'),
    expected_max_sharpe: z.number().describe('What the best of the trials is expected to show by luck'),
    trial_variance: z.number().describe('Variance of Sharpe ratios over trials'),
    trial_variance_source: z.enum(['trial_sharpes', 'null']).describe('null: 1 / (observations - 1)'),
    min_track_record: ratio.describe('Observations that 95 % confidence takes; null when none suffice'),
    permutation: z
      .object({
        p: z.number().describe('Share of sign flips that do as well'),
        exact: z.boolean().describe('All flips were tried'),
        permutations: z.number().int().describe('Flips'),
        block: z.number().int().describe('Returns flipped together, 1 unless they hang together'),
        seed: z.number().int().describe('Seed of the flips'),
      })
      .describe('Sign-flip test'),
    decay: z
      .object({
        decays: z.boolean().describe('The edge fades'),
        folds: z
          .array(
            z.object({
              count: z.number().int().describe('Returns in it'),
              purged: z.number().int().describe('Left out as they overlap another fold'),
              sharpe: ratio.describe('Sharpe ratio; null when it has none'),
              positive: z.boolean().describe('It made money'),
            }),
          )
          .describe('Folds, oldest first'),
        positive_share: z.number().describe('Share of folds that made money'),
        rho: ratio.describe('Rank correlation of time and Sharpe ratio'),
        trend_p: z.number().describe('Chance of falling with time as much'),
        early_sharpe: ratio.describe('First 60 %'),
        late_sharpe: ratio.describe('Last 40 %'),
        embargo: z.number().int().describe('Trades left out after each border'),
      })
      .describe('Purged k-fold decay'),
    concentration: z
      .object({
        total: z.number().describe('Sum'),
        without_best: z.number().describe('Sum without the best'),
        dominant_coin: z.string().nullable().describe('Coin that brought most'),
        without_dominant_coin: ratio.describe('Sum without it'),
        coin_hhi: ratio.describe('Herfindahl index over coins'),
        sign_survives: z.boolean().describe('The sign is the same without them'),
      })
      .describe('What hangs on one trade or coin; it never changes the verdict'),
    not_checked: z.array(z.string().describe('One thing')).describe('What this does not tell'),
  }),
  needs: ['workers'],
  price: prices.validate,
  check(_, input) {
    readQuestion(input)
  },
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['trading', 'statistics'] },
  rest: { routes: ['POST /validate'] },
  examples: [
    {
      returns: [0.012, -0.004, 0.009, 0.015, -0.006, 0.003, 0.011, -0.002, 0.007, 0.001],
      n_trials: 1,
      k_folds: 2,
    },
    {
      trades: Array.from({ length: 12 }, (_, nth) => ({
        net_bps: nth % 3 === 2 ? -8 : 11,
        coin: nth % 2 ? 'BTC' : 'ETH',
        ts: 1_767_225_600 + nth * 86_400,
      })),
      n_trials: 20,
    },
  ],
  summary: ({ verdict, observations, dsr }) =>
    `${verdict.replaceAll('_', ' ')}: ${observations} observations, deflated Sharpe ratio ${dsr.toFixed(3)}.`,
}).run(async ({ workers }, input) => {
  const question = readQuestion(input)
  const { rows, trials, permutations, seed } = question
  const isLarge = rows.length * permutations > maxInlineWork
  const result: Report = isLarge
    ? await workers.run<Report>(module, 'report', question, workerMs)
    : report(question)
  const { moments, signFlip, decay } = result
  return {
    verdict: result.verdict,
    reasons: result.reasons,
    engine: 'deterministic-statistics',
    observations: moments.count,
    units: 'per return or trade, not a year',
    sharpe: moments.sharpe,
    sharpe_annual:
      input.periods_per_year === undefined ? null : moments.sharpe * Math.sqrt(input.periods_per_year),
    skewness: moments.skewness,
    kurtosis: moments.kurtosis,
    autocorrelation: result.autocorrelation,
    psr: result.psr,
    dsr: result.dsr,
    psr_h0_ar1: result.psrUnderNull,
    n_trials: trials,
    expected_max_sharpe: result.benchmark,
    trial_variance: result.variance,
    trial_variance_source: result.varianceSource,
    min_track_record: result.minTrackRecord,
    permutation: { ...signFlip, seed },
    decay: {
      decays: decay.decays,
      folds: decay.folds,
      positive_share: decay.positiveShare,
      rho: decay.rho,
      trend_p: decay.trendP,
      early_sharpe: decay.earlySharpe,
      late_sharpe: decay.lateSharpe,
      embargo: decay.embargo,
    },
    concentration: result.concentration,
    not_checked: notChecked,
  }
})
