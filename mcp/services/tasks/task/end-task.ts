import { formatUsd } from '../../../lib/usd.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { share } from '../money/amount.ts'
import type { Escrow } from '../money/escrow.ts'
import { computeUnpaid, type Funds, withPayout, withRefund } from '../money/funds.ts'
import { countEnd } from '../reputation/count-end.ts'
import { type Move, moveTask } from './move-task.ts'
import type { Task } from './task.ts'

/** How a task ends: in which state, by whom, and how much of what is unpaid the worker gets, in per cent. */
export type End = Omit<Move, 'changes'> & { to: 'completed' | 'cancelled' | 'expired'; workerPercent: number }

/**
 * Ends a task and empties its escrow in one step: the worker's part and its fee first, the rest back to the publisher. The state
 * and the money move in one transaction, so that of two endings one wins and pays.
 */
export const endTask = async (tx: Tx, escrow: Escrow, task: Task, end: End): Promise<Task> => {
  const { workerPercent, ...move } = end
  const { now } = move
  const id = `${task.id}.${task.seq + 1}`
  let funds: Funds = task.funds
  const payouts: { kind: 'release' | 'refund'; amount: bigint; fee: bigint }[] = []
  if (task.funded && task.worker !== null && workerPercent > 0) {
    const unpaid = computeUnpaid(funds)
    const amount = workerPercent === 100 ? unpaid : share(unpaid, BigInt(workerPercent), 100n)
    const payout = withPayout(funds, amount)
    funds = payout.funds
    payouts.push({ kind: 'release', amount: payout.amount, fee: payout.fee })
  }
  if (task.funded) {
    const rest = withRefund(funds)
    funds = rest.funds
    if (rest.amount > 0n) payouts.push({ kind: 'refund', amount: rest.amount, fee: 0n })
  }
  const paid = (kind: 'release' | 'refund') =>
    formatUsd(payouts.reduce((sum, payout) => sum + (payout.kind === kind ? payout.amount : 0n), 0n))
  const event = {
    ...(move.event ?? { kind: 'task.status' as const }),
    released_usd: paid('release'),
    refunded_usd: paid('refund'),
  }
  const ended = await moveTask(tx, task, { ...move, event, changes: { funds } })
  for (const { kind, amount, fee } of payouts) {
    if (kind === 'refund') await escrow.refund(tx, { id, task: task.id, to: task.publisher, amount, now })
    else if (task.worker !== null)
      await escrow.release(tx, { id, task: task.id, to: task.worker, amount, fee, now })
  }
  await countEnd(tx, task, ended, end)
  return ended
}
