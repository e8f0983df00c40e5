import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { ReputationOut, scoresIn, toReputation } from './reputation.ts'

export default tool({
  name: 'leaderboard',
  title: 'List the best workers',
  keywords: ['ranking', 'top', 'highest', 'rated', 'ranked', 'reputable'],
  description: 'Workers by reputation, the best first. Free.',
  input: z.object({ limit: z.number().int().min(1).max(100).default(20).describe('How many, 1 to 100') }),
  output: z.object({
    workers: z
      .array(
        z.object({
          executor_id: z.string().describe('The account'),
          completed: z.number().int().describe('Tasks that were paid'),
          reputation: ReputationOut.describe('Reputation'),
        }),
      )
      .describe('Workers'),
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['GET /api/v1/reputation/leaderboard'] },
  examples: [{ limit: 10 }],
  summary: ({ workers }) => `${countText(workers.length, 'worker')}.`,
}).run(async ({ store, clock }, { limit }) => {
  const where = { rank: { gte: 0 } }
  const { rows } = await scoresIn(store).find({ index: 'rank', where, order: 'desc', limit })
  const workers = rows.map(score => ({
    executor_id: score.id,
    completed: score.completed,
    reputation: toReputation(score, clock.now()),
  }))
  return { workers }
})
