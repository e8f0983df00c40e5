import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn, ensureAccount, executorId } from './account.ts'

/** How many workers one publisher may block. */
const maxBlocked = 1000

export default tool({
  name: 'block_worker',
  title: 'Block a worker',
  description:
    'Keeps a worker from applying to your tasks, or lets it again; returns everybody whom you block. What is under way goes on. Free.',
  keywords: ['ban', 'exclude', 'unwanted', 'list', 'refuse'],
  input: z.object({
    executor_id: executorId,
    blocked: z.boolean().default(true).describe('false lets it apply again'),
  }),
  aliases: { executor_id: ['worker_id', 'worker'] },
  output: z.object({ blocked: z.array(z.string()).describe('Accounts that may not apply to your tasks') }),
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/workers/block'] },
  examples: [{ executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2' }],
  summary: ({ blocked }) => `${blocked.length} are blocked.`,
}).run(({ commit, clock, caller }, { executor_id, blocked }) =>
  commit(async tx => {
    const account = await ensureAccount(tx, caller.id, clock.now())
    const others = (account.blocked ?? []).filter(id => id !== executor_id)
    const list = blocked ? [...others, executor_id] : others
    if (list.length > maxBlocked)
      throw new ToolError('conflict', `A publisher may block ${maxBlocked} workers.`, { reason: 'full' })
    await accountsIn(tx).put({ ...account, blocked: list })
    return { blocked: list }
  }),
)
