import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { entriesIn, record } from './record/log.ts'
import { PredictionOut, requirePrediction, toPublicPrediction } from './record/prediction.ts'

/** Ids of predictions. */
export const PredictionId = z.string().regex(/^prd_\d{8,12}$/, 'must be the id of a prediction, prd_…')

export default tool({
  name: 'get_prediction',
  title: 'Read a prediction',
  keywords: ['forecast', 'id', 'inclusion', 'lookup', 'single', 'advance'],
  description:
    'Returns one prediction with the proof that it stands in the record: its leaf, and the path from it to the root of the tree. Free.',
  input: z.object({ id: PredictionId.describe('Id of the prediction') }),
  output: PredictionOut.extend({
    leaf: z.string().describe('The text of its registration in the record'),
    proof: z
      .object({
        index: z.number().int().describe('Place of the leaf'),
        tree_size: z.number().int().describe('Entries of the record'),
        root: z.string().describe('Root of the tree'),
        path: z.array(z.string().describe('Hash of a sibling')).describe('From the leaf upwards (RFC 9162)'),
      })
      .describe('Inclusion proof'),
  }),
  needs: ['store', record],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /expertise/predictions/:id'] },
  needsSetup: true,
  examples: [{ id: 'prd_00000000' }],
  summary: ({ id, state }) => `${id} is ${state}.`,
}).run(async ({ store, record }, { id }) => {
  const prediction = await requirePrediction(store, id)
  const size = await record.size()
  const leaf = await entriesIn(store).get(String(prediction.seq).padStart(12, '0'))
  return {
    ...toPublicPrediction(prediction),
    leaf: leaf?.canonical ?? '',
    proof: {
      index: prediction.seq,
      tree_size: size,
      root: await record.root(size),
      path: await record.inclusion(prediction.seq, size),
    },
  }
})
