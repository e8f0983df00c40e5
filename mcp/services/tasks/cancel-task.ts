import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { openEscrow } from './funding.ts'
import { endTask } from './move-task.ts'
import { loadTaskAs, TaskOut, taskId, toPublicTask } from './public-task.ts'

export default tool({
  name: 'cancel_task',
  title: 'Cancel a task',
  keywords: ['call', 'posted', 'job', 'refund', 'remove', 'stop'],
  description:
    'Cancels a task of yours that nobody has begun, and gives back what is in escrow, fee included, but for the kill fee that was published, where somebody is assigned. Free.',
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
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/cancel', 'POST /api/v1/escrow/refund'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', reason: 'It has been done by now.' }],
  summary: ({ task_id, payment }) => `${task_id} is cancelled; ${payment.refunded_usd} USD came back.`,
}).run(({ commit, clock, ledger, caller: { id: actor } }, { task_id, reason }) =>
  commit(async tx => {
    const task = await loadTaskAs(tx, task_id, actor, 'publisher')
    const workerPercent = task.worker === null ? 0 : task.terms.kill_fee_percent
    const end = { to: 'cancelled', role: 'publisher', actor, workerPercent } as const
    return toPublicTask(
      await endTask(tx, openEscrow(ledger), task, {
        ...end,
        reason: reason || 'cancelled by its publisher',
        now: clock.now(),
      }),
    )
  }),
)
