import type { Offer, Refusal } from '../method.ts'
import { toAlarm } from './alarm.ts'
import { alreadyUsed, pendingPayment, sentFrom } from './outcome.ts'
import { type Found, find, type PaymentRun, refuse, settle } from './payment-run.ts'
import type { PaymentRow } from './record.ts'

/** The money can never move: the payment is free for another try. */
export const fail = async (run: PaymentRun, row: PaymentRow, reason: Refusal): Promise<never> => {
  const failed = await run.deps.records.failed(row.id, run.runner, run.method.book)
  if (failed.state === 'lost') run.deps.onAlarm(toAlarm('lost', failed))
  throw await refuse(run, reason)
}

/** The record once its money is here, by what the method says of it. While the money may still move, it is pending. */
export const takeMoney = async (run: PaymentRun, row: PaymentRow, status: Found): Promise<PaymentRow> => {
  const { records, onAlarm } = run.deps
  if (status.state === 'settled') {
    const paid = await records.paid(row.id, run.runner, status)
    if (row.reverted) onAlarm(toAlarm('restored', paid))
    if (paid.spentElsewhere)
      throw alreadyUsed('payment_already_used: this transfer was spent on something else.')
    return paid
  }
  if (status.state === 'failed') return fail(run, row, status.reason)
  const transaction = (status.state === 'pending' && status.transaction) || row.transaction || ''
  const facilitator = status.state === 'pending' ? status.facilitator : undefined
  throw pendingPayment(await records.pending(row.id, run.runner, transaction, facilitator))
}

/**
 * Settles; before a failure is believed, the chain is asked whether the money moved all the same. What a facilitator had in
 * its hands fails only once it can no longer land. `isFirst`: nobody had it before.
 */
export const collectMoney = async (
  run: PaymentRun,
  row: PaymentRow,
  isFirst: boolean,
): Promise<PaymentRow> => {
  const { method, deps } = run
  const offer = JSON.parse(row.offer) as Offer
  const began = performance.now()
  const settled = await settle(run, offer)
  deps.onSettlement?.(method.network, settled.state, (performance.now() - began) / 1000)
  if (settled.state !== 'failed' && settled.state !== 'refused') return takeMoney(run, row, settled)
  const status = await find(run, offer, sentFrom(row))
  const isFree = method.moves === 'book' || (settled.state === 'refused' && isFirst)
  if (status.state === 'failed' || (status.state === 'unused' && isFree))
    return fail(run, row, settled.reason)
  return takeMoney(run, row, status)
}
