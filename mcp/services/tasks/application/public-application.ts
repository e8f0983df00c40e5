import { z } from 'zod'
import { type Score, tiers, toReputation } from '../reputation/score.ts'
import type { Task } from '../task/task.ts'
import type { Application } from './application.ts'

export const ReputationOut = z.object({
  score: z.number().describe('0 to 100; 50 for somebody new'),
  ci90: z
    .object({
      low: z.number().describe('It is above this with 95 per cent'),
      high: z.number().describe('It is below this with 95 per cent'),
    })
    .describe('Where the score lies with 90 per cent'),
  n: z.number().int().describe('Outcomes it is made of'),
  tier: z.enum(tiers).describe('New, Rising, Trusted, Expert or Elite'),
})

export const ApplicationOut = z.object({
  application_id: z.string().describe('Id of the application'),
  task_id: z.string().describe('The task'),
  executor_id: z.string().describe('Account that applied'),
  message: z.string().describe('What it says'),
  state: z.enum(['pending', 'accepted', 'declined', 'withdrawn']).describe('What became of it'),
  reputation: ReputationOut.describe('Reputation of who applied'),
  created_at: z.iso.datetime().describe('When'),
})

/** An application; one that waits for a task that somebody else has got is declined. */
export const toPublicApplication = (
  { id, task: task_id, worker, message, state, created_at }: Application,
  task: Pick<Task, 'status'>,
  score: Score,
  now: Date,
): z.output<typeof ApplicationOut> => ({
  application_id: id,
  task_id,
  executor_id: worker,
  message,
  state: state === 'pending' && task.status !== 'published' ? 'declined' : state,
  reputation: toReputation(score, now),
  created_at,
})
