import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { PredictionId } from './get-prediction.ts'
import {
  isAsker,
  PredictionOut,
  requirePrediction,
  resolveByAsker,
  toPublicPrediction,
} from './record/prediction.ts'

export default tool({
  name: 'resolve_prediction',
  title: 'Resolve a prediction',
  keywords: ['event', 'happened', 'record', 'settle', 'report', 'result'],
  description:
    'Says how a question that you asked came out, with evidence; the secret of your forecast shows that it is yours. For questions without a source; it counts in a column of its own. Another outcome within 14 days contests the first, and annuls the prediction. Free.',
  input: z.object({
    id: PredictionId.describe('Id of the prediction'),
    secret: z.string().max(64).describe('The secret of your forecast, of consult'),
    outcome: z
      .preprocess(
        value => (value === true ? 1 : value === false ? 0 : value),
        z.union([z.literal(0), z.literal(1)]),
      )
      .describe('1 came true, 0 did not'),
    evidence_url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .transform(text => new URL(text).href)
      .describe('Where that can be seen'),
  }),
  aliases: { evidence_url: ['evidence'], secret: ['nonce'] },
  output: PredictionOut,
  needs: ['clock'],
  price: free,
  limits: [
    { perMinute: 30, per: 'client' },
    { perMinute: 10, per: ({ id }: { id: string }) => id },
  ],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['POST /expertise/predictions/:id/resolution'] },
  needsSetup: true,
  examples: [
    { id: 'prd_00000000', secret: '0'.repeat(64), outcome: 1, evidence_url: 'https://example.com/result' },
  ],
  summary: ({ id, state }) => `${id} is ${state}.`,
}).run(({ commit, clock }, { id, secret, outcome, evidence_url }) =>
  commit(async tx => {
    const prediction = await requirePrediction(tx, id)
    if (!(await isAsker(tx, id, secret)))
      throw new ToolError('forbidden', 'Only who asked may resolve a prediction: the secret is another.', {
        hint: 'The secret is in the answer of consult, beside the commitment.',
      })
    return toPublicPrediction(
      await resolveByAsker(tx, prediction, { outcome, evidence: evidence_url }, clock.now()),
    )
  }),
)
