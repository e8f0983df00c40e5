import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireCaller } from './account/caller.ts'
import { openEscrow } from './money/open-escrow.ts'
import { endTask } from './task/end-task.ts'
import { loadTaskAs } from './task/load.ts'
import { TaskOut, taskId, toPublicTask } from './task/public-task.ts'

export default tool({
  name: 'abandon_task',
  title: 'Give up a task',
  keywords: ['drop', 'job', 'out', 'quit', 'unassign', 'leave'],
  description:
    'Gives up a task that is assigned to you, before it is reviewed. The publisher gets back what is in escrow, and your reputation falls. Free.',
  input: z.object({
    task_id: taskId,
    reason: z.string().trim().max(500).default('').describe('Why'),
  }),
  aliases: { task_id: ['id'] },
  output: TaskOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/abandon'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', reason: 'The road is closed.' }],
  summary: ({ task_id }) => `${task_id} is given up.`,
}).run(({ commit, clock, ledger, caller }, { task_id, reason }) =>
  commit(async tx => {
    const actor = requireCaller(caller)
    const task = await loadTaskAs(tx, task_id, actor, 'assigned')
    const end = { to: 'cancelled', role: 'assigned', actor, workerPercent: 0 } as const
    return toPublicTask(
      await endTask(tx, openEscrow(ledger), task, {
        ...end,
        reason: reason || 'given up by its worker',
        now: clock.now(),
      }),
    )
  }),
)
