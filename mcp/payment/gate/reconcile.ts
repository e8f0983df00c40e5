import type { Query } from '../../../store/index.ts'
import { isSameAddress } from '../../lib/usd-tokens.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Store } from '../../ports/store/port.ts'
import type { FindResult, Refusal } from '../method.ts'
import { toAlarm } from './alarm.ts'
import { isLocal } from './audit.ts'
import { awaitAnswer, sentFrom, type Unknown } from './outcome.ts'
import { isLeft, methodFor, refund } from './owed.ts'
import { LostHold } from './payment-records.ts'
import type { PaymentDeps } from './payment-run.ts'
import { type PaymentRow, type PaymentState, paymentRows } from './record.ts'
import { type Unsealed, unsealPayment } from './sealed.ts'

const page = 200
/** Payments that are asked about at once. */
const width = 8

/** Refusals that say a transfer is not on the chain and never will be. */
const finalRefusals: ReadonlySet<Refusal> = new Set(['expired', 'already_used', 'settlement_failed'])

/** Nobody has named a transaction, or the one that was named is not there any more. */
const isLost = (status: FindResult | Unknown): boolean =>
  status.state === 'unused' || (status.state === 'pending' && status.transaction === '')

/**
 * Follows payments whose outcome is open and that nobody works on, until each is settled or can no longer be: what was lost on
 * its way is sent again, and what has landed is owed until its payer comes for it, so that the operator sees it. Settled
 * transfers are looked at again while a chain may take them back; where it did, the payment is open again.
 */
export const openReconcile = (deps: PaymentDeps, store: Store, clock: Clock) => {
  const { records, onAlarm } = deps

  const look = async (
    row: PaymentRow,
    { method, attempt, offer }: Unsealed,
  ): Promise<FindResult | Unknown> => {
    const status = await awaitAnswer(method.find(attempt, offer, sentFrom(row)))
    // The payer of a pending payment was told that it is on its way. One that is only reserved may wait for its payer.
    // Nor was anybody told so of money that came without us.
    if (row.state !== 'pending' || row.isStray || method.moves !== 'us' || !isLost(status)) return status
    const settled = await awaitAnswer(method.settle(attempt, offer))
    return settled.state === 'settled' || settled.state === 'pending' ? settled : status
  }

  const follow = async (row: PaymentRow, runner: string): Promise<boolean> => {
    const unsealed = unsealPayment(deps, row)
    if (!unsealed) return false
    const { book, moves } = unsealed.method
    const status = await look(row, unsealed)
    if (status.state === 'settled') {
      const paid = await records.paid(row.id, runner, status)
      if (row.reverted) onAlarm(toAlarm('restored', paid))
      await records.owed(row.id, runner)
      return true
    }
    // A book moves money with the record or not at all.
    if (status.state === 'failed' || (status.state === 'unused' && moves === 'book')) {
      const failed = await records.failed(row.id, runner, book)
      if (failed.state === 'lost') onAlarm(toAlarm('lost', failed))
      return true
    }
    const transaction = (status.state === 'pending' && status.transaction) || row.transaction || ''
    if (row.state === 'pending' || status.state === 'pending')
      await records.pending(
        row.id,
        runner,
        transaction,
        status.state === 'pending' ? status.facilitator : undefined,
      )
    return false
  }

  const one = async ({ id }: PaymentRow): Promise<boolean> => {
    const runner = records.runner()
    const row = await records.hold(id, runner)
    if (!row) return false
    const stop = records.keep(id, runner)
    try {
      return (row.state === 'reserved' || row.state === 'pending') && (await follow(row, runner))
    } catch (error) {
      if (error instanceof LostHold) return false
      throw error
    } finally {
      stop()
      await records.release(id, runner)
    }
  }

  /** True when the transfer of a refund has left the chain: then it is owed again, until it is sent once more. */
  const checkRefund = async (row: PaymentRow): Promise<boolean> => {
    const { id, refund: transaction, payer, amount } = row
    const method = methodFor(deps.methods, row)
    if (!method?.movements || transaction === null) return false
    const moved = await method.movements(transaction, payer).catch(() => null)
    // A node that is silent says nothing, and a local chain may have been started anew.
    if (moved === null || (moved === undefined && isLocal(row))) return false
    if (moved?.some(each => isSameAddress(each.to, payer) && each.amount === amount)) return false
    const reverted = await records.revertRefund(id, transaction)
    if (reverted) onAlarm(toAlarm('refund_reverted', reverted))
    return reverted !== undefined
  }

  /** Sends a refund on that broke off, or that a chain took back: under its name, so that it is paid once. */
  const resendRefund = async (row: PaymentRow): Promise<boolean> => {
    const isBegun = typeof row.refundNote === 'string' || row.watchEnd !== null
    if (!isBegun || !isLeft(row, clock.now())) return false
    await refund(store, deps.methods, row.receipt, () => clock.now(), undefined, true)
    return true
  }

  /** True when the transfer of a settled payment has left the chain. */
  const check = async ({ id }: PaymentRow): Promise<boolean> => {
    const row = await records.watchTurn(id)
    if (row?.state === 'refunded' && (await checkRefund(row))) return true
    const unsealed = row && unsealPayment(deps, row)
    if (row && !unsealed) await records.refundStands(id)
    if (!row || !unsealed) return false
    const { method, attempt, offer } = unsealed
    const status = await awaitAnswer(method.find(attempt, offer, sentFrom(row)))
    if (status.state === 'unknown') return false
    // Of terms that do not match any more, such as those of a changed key, nothing follows for the transfer.
    if (status.state === 'failed' && !finalRefusals.has(status.reason)) return false
    if (status.state === 'settled') {
      await records.stands(id, status)
      return false
    }
    const reverted = await records.revert(id)
    if (reverted) onAlarm(toAlarm(reverted.state === 'refunded' ? 'lost' : 'reverted', reverted))
    return reverted !== undefined
  }

  /** Runs a step for all rows of a query, some at once; resolves to how many it said true of. */
  const forAll = async (query: Query, step: (row: PaymentRow) => Promise<boolean>): Promise<number> => {
    let count = 0
    let after: string | undefined
    do {
      const more = { limit: page, ...(after !== undefined && { after }) }
      const { rows, next } = await paymentRows(store).find({ ...query, ...more })
      after = next
      const queue = [...rows]
      const work = async () => {
        for (let row = queue.shift(); row; row = queue.shift())
          if (await step(row).catch(() => false)) count++
      }
      await Promise.all(Array.from({ length: width }, work))
    } while (after !== undefined)
    return count
  }

  return async (): Promise<number> => {
    const now = clock.now().toISOString()
    await forAll({ index: 'watch', where: { watch: { gt: '', lte: now } } }, check)
    await forAll({ index: 'state', where: { state: 'refunding', updated: { lte: now } } }, resendRefund)
    const open = (state: PaymentState) =>
      forAll({ index: 'state', where: { state, updated: { lte: now } } }, one)
    return (await open('reserved')) + (await open('pending'))
  }
}
