import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { loadTaskAs, taskId } from './public-task.ts'
import { RatingOut, rate, toPublicRating } from './reputation.ts'

/** The facts that both tools of rating share. */
export const ratingFacts = {
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
  needsSetup: true,
  examples: [{ task_id: 'task_0', score: 90 }],
  summary: ({ about, score }: z.output<typeof RatingOut>) => `${about} is rated ${score}.`,
} as const

export default tool({
  name: 'rate_worker',
  title: 'Rate a worker',
  keywords: ['review', 'feedback', 'stars', 'score'],
  description: 'Rates the worker of a task of yours once, after it is over: 0 to 100. Free.',
  ...ratingFacts,
  rest: { routes: ['POST /api/v1/reputation/workers/rate'] },
}).run(({ commit, clock, caller: { id: by } }, { task_id, score, comment }) =>
  commit(async tx => {
    const task = await loadTaskAs(tx, task_id, by, 'publisher')
    return toPublicRating(await rate(tx, task, { side: 'worker', by, score, comment, now: clock.now() }))
  }),
)
