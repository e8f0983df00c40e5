import { ToolError } from '../../../kernel/error.ts'
import { type Context, free, type Price, type Receipt, usd } from '../../../kernel/tool.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { returnDeposit } from '../chain/escrow.ts'
import { recordDirectPayment } from '../direct/payment.ts'
import { emitEvent } from '../event/event.ts'
import { type Task, tasksIn, withEscrow } from '../task/task.ts'
import { addPayment, ledgerEscrow, loadSpendableBalance } from './escrow.ts'
import { computeTotal, withDeposit } from './funds.ts'

/** Quotes a call that puts money into escrow: free where the balance covers it, else all of it, paid with the call. */
export const quoteDeposit = async (
  store: Tx,
  ledger: Ports['ledger'],
  account: string,
  total: bigint,
): Promise<Price> => {
  const available = await loadSpendableBalance(store, ledger, account)
  if (available >= total) return free
  const [needed, there] = [formatUsd(total), formatUsd(available)]
  return {
    ...usd(needed),
    reason: {
      reason: 'escrow_required',
      detail: `The task needs ${needed} USD in escrow, fee included; your balance is ${there} USD.`,
      params: { needed_usd: needed, available_usd: there },
      hint: 'Pay with this call, or put money on your balance first.',
    },
  }
}

/** Puts the money of a task into escrow: from a payment that came with the call, else from the publisher's balance. */
export const fundTask = async (
  tx: Tx,
  ledger: Ports['ledger'],
  task: Task,
  { receipt, now }: { receipt: Receipt | undefined; now: Date },
): Promise<Task> => {
  const total = computeTotal(task)
  if (receipt) await addPayment(tx, ledger, { receipt: receipt.id, account: task.publisher, amount: total })
  if (task.funded) return task
  const { amount, funds } = withDeposit(task.funds, total)
  await ledgerEscrow(ledger).deposit(tx, { id: task.id, task: task.id, from: task.publisher, amount })
  const next = withEscrow(task, funds, now)
  await tasksIn(tx).put(next)
  await emitEvent(tx, next, { kind: 'task.funded', amount_usd: formatUsd(amount) }, now.toISOString())
  return next
}

/**
 * Runs the write of a call that may have been paid for. Where it is refused after the payment settled, the money goes to the
 * caller's balance, from where it can be spent or withdrawn, or back to the wallet that paid into escrow on the chain; what went to
 * a worker is recorded. The refusal says so.
 */
export const commitOrKeep = async <answer extends object>(
  ctx: Context<'ledger' | 'clock'>,
  payment: { account: string; amount(tx: Tx): Promise<bigint> | bigint },
  work: (tx: Tx) => Promise<answer>,
): Promise<answer> => {
  const { receipt, ledger } = ctx
  if (!receipt) return ctx.commit(work)
  try {
    return await ctx.commit(work)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return ctx.decline(async tx => {
      if (await returnDeposit(tx, receipt.id, ctx.clock.now())) {
        const message = `${error.message} What you paid goes back to your wallet.`
        return { refusal: new ToolError(error.code, message, { ...error.extra }) }
      }
      if (await recordDirectPayment(tx, receipt, ctx.clock.now())) {
        const message = `${error.message} What you paid is with the worker, and recorded.`
        return { refusal: new ToolError(error.code, message, { ...error.extra }) }
      }
      const amount = await payment.amount(tx)
      await addPayment(tx, ledger, { receipt: receipt.id, account: payment.account, amount })
      const refusal = new ToolError(error.code, `${error.message} What you paid is on your balance.`, {
        ...error.extra,
        params: { ...error.extra.params, credited_usd: formatUsd(amount) },
        next: ['get_balance'],
      })
      return { refusal }
    })
  }
}
