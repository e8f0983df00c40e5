import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { DomainWord } from './record/output.ts'
import { PredictionOut, predictionsIn, toPublicPrediction } from './record/prediction.ts'

const toIndex = (domain: string | undefined, state: string | undefined): string => {
  if (domain !== undefined && state !== undefined) return 'domain-state'
  if (domain !== undefined) return 'domain'
  return state === undefined ? 'number' : 'state'
}

export default tool({
  name: 'list_predictions',
  title: 'List predictions',
  description:
    'Lists every prediction that this service ever registered, the newest first: hash and close date at once, question, probability and outcome once it is resolved or annulled. None is ever removed. Free.',
  keywords: ['forecasts', 'past', 'history', 'browse', 'open', 'pending'],
  input: z.object({
    state: z.enum(['open', 'resolved', 'annulled']).optional().describe('Only these'),
    domain: DomainWord.optional().describe('Only this domain'),
    ...pageInput('Predictions'),
  }),
  aliases: { after: ['cursor', 'next'] },
  output: z.object({
    predictions: z.array(PredictionOut).describe('The predictions'),
    next: nextCursor,
  }),
  needs: ['store'],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /expertise/predictions'] },
  examples: [{ limit: 10 }],
  summary: ({ predictions }) =>
    predictions.length === 0 ? 'No prediction here.' : `${countText(predictions.length, 'prediction')}.`,
}).run(async ({ store }, { state, domain, ...page }) => {
  const { rows, next } = await predictionsIn(store).find({
    index: toIndex(domain, state),
    where: { ...(domain !== undefined && { domain }), ...(state !== undefined && { state }) },
    order: 'desc',
    ...pageQuery(page),
  })
  return { predictions: rows.map(toPublicPrediction), next: next ?? null }
})
