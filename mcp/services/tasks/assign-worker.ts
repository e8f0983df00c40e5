import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Called, type Context, free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { perCall } from '../../lib/per-call.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import { addressOf, refuseSelf } from './account.ts'
import { type Application, applicationOf, applicationsIn } from './application.ts'
import { fundOnChain } from './chain/escrow.ts'
import { depositsIn, escrowChain, requireEscrowChain } from './chain.ts'
import { emitEvent } from './event.ts'
import { commitOrKeep, fundTask, quoteDeposit } from './funding.ts'
import { computeTotal, moveEscrow, splitFunds } from './money.ts'
import { beginTask, checkMove, moveTask } from './move-task.ts'
import { loadTask, loadTaskAs, TaskOut, taskId, toPublicTask } from './public-task.ts'
import { loadScore, scoresIn } from './reputation.ts'
import { type Task, tasksIn } from './task.ts'

/**
 * The task that a worker is assigned to: of one for several workers a place that is split off, with its bounty, its fee and a history
 * of its own, while the task stays open for the others; its last place is the task itself.
 */
const takePlace = async (tx: Tx, ledger: Ports['ledger'], task: Task, now: Date): Promise<Task> => {
  const { spare = 0 } = task
  if (spare === 0) return task
  const { rest, part, amount } = splitFunds(task.funds, task.funded)
  const left: Task = { ...task, spare: spare - 1, funds: rest }
  await tasksIn(tx).put(left)
  const { workers: _, ...terms } = task.terms
  const id = newId('task', now)
  const { publisher, funded, test_answers, golden, series, created_at, first_application_at, work_until } =
    task
  const place = await beginTask(
    tx,
    {
      id,
      publisher,
      terms,
      funds: part,
      funded,
      worker: null,
      ...(series && { series }),
      ...(golden && { golden }),
      ...(test_answers && { test_answers }),
      parent: task.id,
      work_until,
      submission: null,
      dispute: null,
      rounds: 0,
      created_at,
      first_application_at,
      submitted_at: null,
    },
    now,
  )
  await moveEscrow(tx, ledger, { from: task.id, to: id, amount })
  const score = await loadScore(tx, publisher)
  await scoresIn(tx).put({ ...score, published: score.published + 1 })
  await emitEvent(tx, left, { kind: 'task.assigned', place_id: id }, now.toISOString())
  return place
}

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

type Asked = Context<'store' | 'clock' | 'ledger', typeof escrowChain> & Called<'apiKey'>

const price = perCall(async ({ store, ledger, clock, caller, escrowChain: chain }: Asked, input: Ids) => {
  const publisher = caller.id
  const { task, application } = await mayAssign(store, input, publisher, clock.now())
  if (task.funded || task.terms.escrow === 'direct') return free
  if (task.terms.escrow === 'ledger') return quoteDeposit(store, ledger, publisher, computeTotal(task))
  const { quoteOnChain } = await import('./chain/contract.ts')
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
    if (terms.escrow !== 'onchain' || addressOf(caller.id) === address.toLowerCase()) return
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
  const publisher = caller.id
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
