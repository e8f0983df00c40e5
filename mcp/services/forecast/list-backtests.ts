import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { backtests } from './backtest.ts'

const rate = (what: string) => z.number().nullable().describe(what)

export default tool({
  name: 'list_backtests',
  keywords: ['historical', 'past', 'simulation', 'benchmark', 'validation'],
  title: 'List backtests',
  description:
    'Returns what the method would have scored on questions of others whose outcome was known, beside a coin and the market. A backtest is no record: none of it counts in the calibration. Free.',
  input: z.object({}),
  output: z.object({
    backtests: z
      .array(
        z.object({
          label: z.literal('backtest').describe('What this is'),
          note: z.string().describe('What that means'),
          source: z.string().describe('Where the questions are from'),
          licence: z.string().describe('Licence of the questions'),
          questions: z.number().int().describe('Questions that were answered'),
          refused: z.number().int().describe('Questions of the set that the service would refuse'),
          from: z.string().nullable().describe('When the first was asked'),
          to: z.string().nullable().describe('When the last closed'),
          base_rate: z.number().describe('Share that came true'),
          rows: z
            .array(
              z.object({
                name: z.string().describe('Whose forecasts'),
                note: z.string().describe('How'),
                scored: z.number().int().describe('Over so many questions'),
                came_true: z.number().int().describe('So many came true'),
                brier: rate('Brier score'),
                brier_interval95: z
                  .array(z.number().describe('Low, then high'))
                  .nullable()
                  .describe('Its 95 % interval by bootstrap'),
                base_rate: rate('Share that came true'),
                log_score: rate('Mean of −ln of the probability of what happened'),
                skill: rate('1 − Brier / uncertainty'),
                ece: rate('Expected calibration error'),
                max_calibration_error: rate('Largest error of a bucket'),
                sharpness: rate('Variance of the probabilities'),
                auc: rate('Chance that what came true had the higher probability'),
                interval80_coverage: rate('Share of 80 % intervals of values that held').optional(),
                accuracy: rate('Share whose more probable side came true'),
              }),
            )
            .describe('Scores'),
        }),
      )
      .describe('Backtests; empty where none is published'),
  }),
  needs: [],
  wants: [backtests],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /expertise/backtests'] },
  examples: [{}],
  summary: ({ backtests }) =>
    backtests.length === 0 ? 'No backtest.' : `${countText(backtests.length, 'backtest')}.`,
}).run(async ({ backtests }) => ({ backtests: backtests?.list ?? [] }))
