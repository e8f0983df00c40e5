import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/index.ts'
import { isSameWallet } from './account/account.ts'
import { requireCaller } from './account/caller.ts'
import { type Application, applicationOf, applicationsIn } from './application/application.ts'
import { commitOrKeep, fundTask, quoteDeposit } from './money/fund.ts'
import { totalOf } from './money/funds.ts'
import { loadScore, scoresIn } from './reputation/score.ts'
import { checkMove } from './task/check-move.ts'
import { loadTask, loadTaskAs } from './task/load.ts'
import { moveTask } from './task/move-task.ts'
import { TaskOut, taskId, toPublicTask } from './task/public-task.ts'
import type { Task } from './task/task.ts'

type Ids = { task_id: string; executor_id: string }

/** The task and the application that may be joined now; throws what stands against it, before any money is asked for. */
const mayAssign = async (
  tx: Tx,
  { task_id, executor_id }: Ids,
  publisher: string,
  now: Date,
): Promise<{ task: Task; application: Application }> => {
  const task = await loadTaskAs(tx, task_id, publisher, 'publisher')
  checkMove(task, 'accepted', 'publisher', now)
  if (isSameWallet(publisher, executor_id))
    throw new ToolError('forbidden', 'A wallet cannot work on a task of its own.', {
      reason: 'self_assignment',
    })
  const application = await applicationOf(tx, task_id, executor_id)
  if (application?.state === 'pending') return { task, application }
  throw new ToolError('conflict', 'This worker has no application waiting.', {
    reason: 'no_application',
    next: ['list_applications'],
  })
}

export default tool({
  name: 'assign_worker',
  title: 'Assign a task',
  description:
    'Assigns your task to one who applied. Bounty and fee go into escrow with it, unless they are there: from your balance, else paid with this call by x402 in USDC on Base. Free beyond that.',
  keywords: ['hire', 'pick a worker', 'accept application'],
  input: z.object({
    task_id: taskId,
    executor_id: z.string().max(100).describe('Account of the worker, as list_applications has it'),
    notes: z.string().trim().max(500).default('').describe('A word to the worker'),
  }),
  aliases: { task_id: ['id'], executor_id: ['worker_id', 'worker'] },
  output: TaskOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  quote: async ({ store, ledger, clock, caller }, input) => {
    const publisher = requireCaller(caller)
    const { task } = await mayAssign(store, input, publisher, clock.now())
    return task.funded ? free : quoteDeposit(store, ledger, publisher, totalOf(task.funds))
  },
  settle: 'before',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  rest: { routes: ['POST /api/v1/tasks/:task_id/assign'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2' }],
  summary: ({ task_id, executor_id }) => `${task_id} is assigned to ${executor_id}.`,
}).run((ctx, input) => {
  const { clock, ledger, caller, receipt } = ctx
  const publisher = requireCaller(caller)
  const amount = async (tx: Tx) => totalOf((await loadTask(tx, input.task_id)).funds)
  return commitOrKeep(ctx, { account: publisher, amount }, async tx => {
    const now = clock.now()
    const { task, application } = await mayAssign(tx, input, publisher, now)
    const secured = await fundTask(tx, ledger, task, { receipt, now })
    const { worker } = application
    await applicationsIn(tx).put({ ...application, state: 'accepted' })
    const score = await loadScore(tx, worker)
    await scoresIn(tx).put({ ...score, assigned: score.assigned + 1 })
    return toPublicTask(
      await moveTask(tx, secured, {
        to: 'accepted',
        role: 'publisher',
        actor: publisher,
        reason: input.notes || 'assigned',
        now,
        changes: { worker },
        event: { kind: 'task.assigned', executor_id: worker },
      }),
    )
  })
})
