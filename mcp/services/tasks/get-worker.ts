import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn, addressOf } from './account.ts'
import { badgesIn } from './qualification.ts'
import { loadScore } from './reputation.ts'
import { toPublicWorker, WorkerOut } from './worker.ts'

export default tool({
  name: 'get_worker',
  title: 'Read a worker',
  description:
    'What an account has done here: reputation with its interval, rates, ratings and earnings. Anybody may read it. Free.',
  keywords: ['profile', 'statistics', 'track', 'score', 'reliable', 'record'],
  input: z.object({
    executor_id: z.string().max(100).describe('The account, such as eip155:8453:0x…'),
  }),
  aliases: { executor_id: ['worker_id', 'agent_id', 'id'] },
  output: WorkerOut.extend({
    badges: z
      .array(
        z.object({
          badge: z.string().describe('Name of the badge'),
          publisher_id: z.string().describe('Publisher who vouches for it'),
          at: z.iso.datetime().describe('Since when'),
        }),
      )
      .describe('Badges that publishers gave it, 50 at most'),
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: {
    routes: ['GET /api/v1/executors/:executor_id/stats', 'GET /api/v1/reputation/agents/:executor_id'],
  },
  needsSetup: true,
  examples: [{ executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2' }],
  summary: ({ executor_id, reputation }) => `${executor_id}: ${reputation.score} (${reputation.tier}).`,
}).run(async ({ store, clock }, { executor_id }) => {
  const account = await accountsIn(store).get(executor_id.toLowerCase())
  if (!account) throw new ToolError('not_found', 'There is no such account.')
  const where = { address: addressOf(account.id) }
  const { rows } = await badgesIn(store).find({ index: 'address', where, limit: 50 })
  const badges = rows.map(({ badge, publisher, at }) => ({ badge, publisher_id: publisher, at }))
  return { ...toPublicWorker(account, await loadScore(store, account.id), clock.now()), badges }
})
