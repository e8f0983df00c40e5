import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { tasksSettings } from './config.ts'
import { feedbackIn } from './feedback.ts'
import { checkMember, taskId } from './public-task.ts'
import { RatingOut, ratingsIn, toPublicRating } from './reputation.ts'

const sides = ['worker', 'publisher'] as const

const OnChain = z
  .object({
    agent_id: z.string().describe('Agent that it is about'),
    feedback_uri: z.string().describe('Where the evidence is'),
    feedback_hash: z.string().describe('Keccak-256 of the evidence, to the byte'),
    state: z
      .enum(['shown', 'queued', 'done', 'refused'])
      .describe(
        'shown: left to the wallet of the rater; queued: the house sends it; done: it is on the chain',
      ),
    sent: z.string().nullable().describe('Transaction of the house'),
  })
  .nullable()
  .describe('Its way into the reputation registry; null where nobody published it')

export default tool({
  name: 'get_feedback',
  title: 'Read the ratings of a task',
  description:
    'How the two sides of a task of yours have rated each other, and which of it was published in the reputation registry. Free.',
  keywords: ['reviews', 'stars', 'received'],
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: z.object({
    task_id: z.string().describe('The task'),
    ratings: z
      .array(
        RatingOut.extend({
          side: z.enum(sides).describe('Side that is rated'),
          onchain: OnChain,
        }),
      )
      .describe('That of the worker first; none where nobody has rated'),
    untrusted: untrustedMark,
  }),
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['GET /api/v1/reputation/feedback/:task_id'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ ratings }) => ratings.map(({ side, score }) => `${side}: ${score}`).join('; ') || 'No ratings.',
}).run(async ({ store, caller, arbiters }, { task_id }) => {
  await checkMember(store, task_id, caller.id, arbiters)
  const load = async (side: (typeof sides)[number]) => {
    const id = `${task_id}.${side}`
    const [rating, feedback] = await Promise.all([ratingsIn(store).get(id), feedbackIn(store).get(id)])
    if (!rating) return []
    const onchain = feedback
      ? {
          agent_id: feedback.agent_id,
          feedback_uri: feedback.uri,
          feedback_hash: feedback.hash,
          state: feedback.state,
          sent: feedback.transaction,
        }
      : null
    return [{ side, ...toPublicRating(rating), onchain }]
  }
  const ratings = (await Promise.all(sides.map(load))).flat()
  return { task_id, ratings, untrusted: true as const }
})
