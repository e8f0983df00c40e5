import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, free, tool } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import type { Tx } from '../../ports/store/port.ts'
import { addressOf, refuseSelf } from './account/account.ts'
import { requireCaller } from './account/caller.ts'
import { type Application, applicationOf, applicationsIn } from './application/application.ts'
import { fundOnChain } from './chain/escrow.ts'
import { escrowChain, requireEscrowChain } from './chain/port.ts'
import { depositsIn } from './chain/step.ts'
import { commitOrKeep, fundTask, quoteDeposit } from './money/fund.ts'
import { computeTotal } from './money/funds.ts'
import { loadScore, scoresIn } from './reputation/score.ts'
import { checkMove } from './task/check-move.ts'
import { loadTask, loadTaskAs } from './task/load.ts'
import { moveTask } from './task/move-task.ts'
import { takePlace } from './task/places.ts'
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
  await refuseSelf(tx, publisher, executor_id, 'Nobody can work on a task of their own.')
  const application = await applicationOf(tx, task_id, executor_id)
  if (application?.state === 'pending') return { task, application }
  throw new ToolError('conflict', 'This worker has no application waiting.', {
    reason: 'no_application',
    next: ['list_applications'],
  })
}

type Asked = Context<'store' | 'clock' | 'ledger', typeof escrowChain>

const price = perCall(async ({ store, ledger, clock, caller, escrowChain: chain }: Asked, input: Ids) => {
  const publisher = requireCaller(caller)
  const { task, application } = await mayAssign(store, input, publisher, clock.now())
  if (task.funded || task.terms.escrow === 'direct') return free
  if (task.terms.escrow === 'ledger') return quoteDeposit(store, ledger, publisher, computeTotal(task))
  const { quoteOnChain } = await import('./chain/quote.ts')
  return quoteOnChain(store, requireEscrowChain(chain), task, application.worker)
})

export default tool({
  name: 'assign_worker',
  title: 'Assign a task',
  description:
    'Assigns your task to one who applied. Bounty and fee go into escrow with it, unless they are there: from your balance, else paid with this call by x402 in USDC on Base; with escrow: onchain always the latter, from the wallet that published. Free beyond that.',
  keywords: ['pick', 'applicant', 'choose', 'accept', 'select', 'hire'],
  input: z.object({
    task_id: taskId,
    executor_id: z.string().max(100).describe('Account of the worker, as list_applications has it'),
    notes: z.string().trim().max(500).default('').describe('A word to the worker'),
  }),
  aliases: { task_id: ['id'], executor_id: ['worker_id', 'worker'] },
  output: TaskOut,
  needs: ['store', 'clock', 'ledger'],
  wants: [escrowChain],
  price: free,
  check: price,
  quote: price,
  admit: async ({ store, caller }, { task_id }, { address }) => {
    const { terms } = await loadTask(store, task_id)
    if (terms.escrow !== 'onchain' || addressOf(requireCaller(caller)) === address.toLowerCase()) return
    throw new ToolError('conflict', 'Pay from the wallet that published: what is left goes back to it.', {
      reason: 'other_wallet',
      hint: 'Nothing was charged.',
    })
  },
  settle: 'before',
  credits: true,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/assign'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2' }],
  summary: ({ task_id, executor_id }) => `${task_id} is assigned to ${executor_id}.`,
}).run((ctx, input) => {
  const { clock, ledger, caller, receipt } = ctx
  const publisher = requireCaller(caller)
  const amount = async (tx: Tx) => computeTotal(await loadTask(tx, input.task_id))
  return commitOrKeep(ctx, { account: publisher, amount }, async tx => {
    const now = clock.now()
    const { task, application } = await mayAssign(tx, input, publisher, now)
    const deposit = receipt && (await depositsIn(tx).get(receipt.id))
    const secure = () => {
      if (task.terms.escrow === 'direct') return task
      return deposit ? fundOnChain(tx, task, deposit, now) : fundTask(tx, ledger, task, { receipt, now })
    }
    const secured = await takePlace(tx, ledger, await secure(), now)
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
