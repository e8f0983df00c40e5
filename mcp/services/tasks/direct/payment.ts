import { collection as declareCollection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type JournalFields, type Price, paidBy, type Receipt, usd } from '../../../kernel/tool.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Index, Tx } from '../../../ports/store/port.ts'
import { addressOf } from '../account/account.ts'
import { countMoney } from '../analytics/count.ts'
import { emitEvent } from '../event/event.ts'
import { computeUnpaid, withDirectPayment } from '../money/funds.ts'
import { loadScore, scoresIn } from '../reputation/score.ts'
import { submissionsIn } from '../submission/submission.ts'
import { type Task, tasksIn } from '../task/task.ts'

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
export type DirectPayment = JournalFields & Terms & { recorded: boolean }

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
