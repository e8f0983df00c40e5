import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { loadTaskAs, taskId } from './public-task.ts'
import { RatingOut, rate, toPublicRating } from './reputation.ts'

export default tool({
  name: 'rate_publisher',
  title: 'Rate a publisher',
  keywords: ['client', 'review', 'stars', 'feedback', 'employer', 'bad'],
  description: 'Rates the publisher of a task that you worked on once, after it is over: 0 to 100. Free.',
  input: z.object({
    task_id: taskId,
    score: z.number().int().min(0).max(100).describe('0 to 100'),
    comment: z.string().trim().max(1000).default('').describe('Why'),
  }),
  output: RatingOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/reputation/agents/rate'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', score: 90 }],
  summary: ({ about, score }) => `${about} is rated ${score}.`,
}).run(({ commit, clock, caller }, { task_id, score, comment }) =>
  commit(async tx => {
    const by = caller.id
    const task = await loadTaskAs(tx, task_id, by, 'assigned')
    return toPublicRating(await rate(tx, task, { side: 'publisher', by, score, comment, now: clock.now() }))
  }),
)
