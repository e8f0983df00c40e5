import { collection as declareCollection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import {
  type Context,
  free,
  type JournalFields,
  type Price,
  paidBy,
  type Receipt,
  usd,
} from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Index, Tx } from '../../ports/store/port.ts'
import { addressOf } from './account.ts'
import { countMoney } from './analytics.ts'
import { chainEscrow, isOnChain, returnDeposit } from './chain/escrow.ts'
import { emitEvent } from './event.ts'
import {
  addPayment,
  computeTotal,
  computeUnpaid,
  type Escrow,
  ledgerEscrow,
  loadSpendableBalance,
  withDeposit,
  withDirectPayment,
} from './money.ts'
import { loadTask } from './public-task.ts'
import { loadScore, scoresIn } from './reputation.ts'
import { submissionsIn } from './submission.ts'
import { type Task, tasksIn, withEscrow } from './task.ts'

/** Terms of a payment to a worker's wallet: for a deliverable, or something on top. */
type Terms = {
  task: string
  worker: string
  /** Paid submission; null for a bonus. */
  submission: string | null
  /** Millionths of a dollar. */
  amount: string
}

/** A payment that goes to a worker past this house: written down before its money can move, under the id of its receipt. */
type DirectPayment = JournalFields & Terms & { recorded: boolean }

const collection = 'tasks.direct-payments'

const indexes: readonly Index[] = [{ name: 'task', fields: ['task', 'created'] }]

const directPaymentsIn = declareCollection<DirectPayment>({
  name: collection,
  indexes,
  bounded: 'As many as were paid for.',
})

/** Quotes a call that pays a worker: exactly the amount, to the worker's own wallet. */
export const quoteDirect = ({ task, worker, submission, amount }: Terms): Price => {
  const row = { task, worker, submission, amount, recorded: false }
  const amountUsd = formatUsd(amount)
  const payTo = addressOf(worker)
  return {
    ...usd(amountUsd),
    terms: { kind: 'eip3009', payTo, amount, journal: { collection, indexes, row } },
    reason: {
      reason: 'pay_worker',
      detail: `${amountUsd} USD go to the wallet of the worker, in USDC on Base.`,
      params: { amount_usd: amountUsd, pay_to: payTo, executor_id: worker },
    },
  }
}

/** Refuses a worker who would pay for its own work. */
export const refuseSelfPayment = (worker: string | null, payer: string): void => {
  if (worker !== null && addressOf(worker) === payer.toLowerCase())
    throw new ToolError('forbidden', 'A worker cannot pay for its own work.', {
      reason: 'self_payment',
      hint: 'Nothing was charged.',
    })
}

/** Refuses the worker of a submission as its payer. */
export const refuseOwnSubmission = async (
  { store }: Pick<Ports, 'store'>,
  { submission_id }: { submission_id: string },
  { address }: { address: string },
): Promise<void> => {
  const submission = await submissionsIn(store).get(submission_id)
  if (submission) refuseSelfPayment((await loadTask(store, submission.task)).worker, address)
}

/**
 * Binds a payment that reached the worker to what it is for, once: to the submission, and to the money of the task as far as that was
 * unpaid; what is beyond counts as a bonus. Undefined for a receipt of another kind.
 */
export const recordDirectPayment = async (
  tx: Tx,
  receipt: Receipt | undefined,
  now: Date,
): Promise<{ task: Task; beyond: bigint } | undefined> => {
  const row = receipt && (await directPaymentsIn(tx).get(receipt.id))
  const task = row && (await tasksIn(tx).get(row.task))
  if (!row || !task) return undefined
  if (row.recorded) return { task, beyond: 0n }
  await directPaymentsIn(tx).put({ ...row, recorded: true })
  const { id, transaction, payer } = paidBy(receipt)
  const amount = BigInt(row.amount)
  const unpaid = row.submission === null || task.funded ? 0n : computeUnpaid(task.funds)
  const counted = amount < unpaid ? amount : unpaid
  const beyond = amount - counted
  const next: Task = { ...task, funds: withDirectPayment(task.funds, counted) }
  const at = now.toISOString()
  await tasksIn(tx).put(next)
  await countMoney(tx, task, next, now)
  const payment = { receipt: id, transaction, payer, amount: row.amount, beyond: beyond.toString(), at }
  if (row.submission !== null)
    await submissionsIn(tx).update(row.submission, submission => ({
      ...submission,
      payments: [...(submission.payments ?? []), payment],
    }))
  const score = await loadScore(tx, row.worker)
  await scoresIn(tx).put({ ...score, earned: (BigInt(score.earned) + amount).toString() })
  const spender = await loadScore(tx, task.publisher)
  await scoresIn(tx).put({ ...spender, spent: (BigInt(spender.spent) + amount).toString() })
  const event = { kind: 'payment.released', amount_usd: formatUsd(amount), transaction } as const
  await emitEvent(tx, next, event, at)
  return { task: next, beyond }
}

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

/** The escrow of each task where its money lies: in the contract if it was paid there, else in the books of the house. */
export const openEscrow = (ledger: Ports['ledger']): Escrow => {
  const books = ledgerEscrow(ledger)
  return {
    deposit: books.deposit,
    release: async (tx, step) =>
      (await isOnChain(tx, step.task)) ? chainEscrow.release(tx, step) : books.release(tx, step),
    refund: async (tx, step) =>
      (await isOnChain(tx, step.task)) ? chainEscrow.refund(tx, step) : books.refund(tx, step),
  }
}
