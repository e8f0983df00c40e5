import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { record } from './record/log.ts'

export default tool({
  name: 'reputation',
  title: 'Read the reputation',
  keywords: ['trust', 'accuracy', 'good', 'track', 'accurate', 'past'],
  description:
    'Returns the record of this service in one number, 1 − Brier, with how many predictions it stands on; null while nothing is scored. Free.',
  input: z.object({}),
  output: z.object({
    score: z.number().nullable().describe('1 − Brier; null while nothing is scored'),
    status: z.enum(['insufficient_data', 'small_sample', 'ok']).describe('How much it says'),
    brier: z.number().nullable().describe('Brier score'),
    scored: z.number().int().describe('Predictions scored'),
    registered: z.number().int().describe('Predictions registered'),
    calibration_url: z.url().describe('All of it'),
    signed_url: z.url().describe('The same, signed'),
  }),
  needs: [record],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /reputation'] },
  examples: [{}],
  summary: ({ score, scored }) =>
    score === null ? 'Nothing is scored yet.' : `${score} over ${scored} predictions.`,
}).run(async ({ record, base }) => {
  const { calibration } = await record.state()
  const { brier, status, scored, predictions } = calibration
  return {
    score: brier === null ? null : Math.round((1 - brier) * 10_000) / 10_000,
    status,
    brier,
    scored,
    registered: predictions.registered,
    calibration_url: `${base}/expertise/calibration`,
    signed_url: `${base}/expertise/calibration/signed`,
  }
})
