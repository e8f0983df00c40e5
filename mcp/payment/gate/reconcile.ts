import type { Clock, Store } from '../../ports/index.ts'
import type { Attempt, Found, Offer, PaymentMethod } from '../method.ts'
import { answerOf, sentFrom, type Unknown } from './outcome.ts'
import { LostHold } from './payment-records.ts'
import type { PaymentDeps } from './process-payment.ts'
import { type PaymentRow, paymentRows } from './record.ts'

const page = 200
/** Payments that are asked about at once. */
const width = 8

type Opened = { method: PaymentMethod; attempt: Attempt; offer: Offer }

/** Nobody has named a transaction, or the one that was named is not there any more. */
const isLost = (found: Found | Unknown): boolean =>
  found.state === 'unused' || (found.state === 'pending' && found.transaction === '')

/**
 * Follows payments whose outcome is open and that nobody works on, until each is settled or can no longer be: what was lost on
 * its way is sent again, and what has landed is owed until its payer comes for it, so that the operator sees it.
 */
export const openReconcile = ({ methods, records, encryption }: PaymentDeps, store: Store, clock: Clock) => {
  const open = (row: PaymentRow): Opened | undefined => {
    const method = methods.find(({ id, network }) => id === row.method && network === row.network)
    const opened = row.sealed === null ? undefined : encryption.open(row.sealed)
    if (!method || opened === undefined) return undefined
    return { method, ...(JSON.parse(opened) as { attempt: Attempt; offer: Offer }) }
  }

  const look = async (row: PaymentRow, { method, attempt, offer }: Opened): Promise<Found | Unknown> => {
    const found = await answerOf(method.find(attempt, offer, sentFrom(row)))
    // The payer of a pending payment was told that it is on its way. One that is only reserved may wait for its payer.
    if (row.state !== 'pending' || method.moves !== 'us' || !isLost(found)) return found
    const settled = await answerOf(method.settle(attempt, offer))
    return settled.state === 'settled' || settled.state === 'pending' ? settled : found
  }

  const follow = async (row: PaymentRow, runner: string): Promise<boolean> => {
    const opened = open(row)
    if (!opened) return false
    const { book, moves } = opened.method
    const found = await look(row, opened)
    if (found.state === 'settled') {
      await records.paid(row.id, runner, found, book && (tx => book.capture(tx, row.id)))
      await records.owed(row.id, runner)
      return true
    }
    // A book moves money with the record or not at all.
    if (found.state === 'failed' || (found.state === 'unused' && moves === 'book')) {
      await records.failed(row.id, runner, book && (tx => book.release(tx, row.id)))
      return true
    }
    const transaction = (found.state === 'pending' && found.transaction) || row.transaction || ''
    if (row.state === 'pending' || found.state === 'pending')
      await records.pending(row.id, runner, transaction)
    return false
  }

  const one = async ({ id }: PaymentRow): Promise<boolean> => {
    const runner = records.runner()
    const row = await records.hold(id, runner)
    if (!row) return false
    const stop = records.keep(id, runner)
    try {
      return (row.state === 'reserved' || row.state === 'pending') && (await follow(row, runner))
    } catch (thrown) {
      if (thrown instanceof LostHold) return false
      throw thrown
    } finally {
      stop()
      await records.release(id, runner)
    }
  }

  return async (): Promise<number> => {
    let settled = 0
    const before = clock.now().toISOString()
    for (const state of ['reserved', 'pending']) {
      const where = { state, updated: { lte: before } }
      let after: string | undefined
      do {
        const { rows, next } = await paymentRows(store).find({
          index: 'state',
          where,
          limit: page,
          ...(after !== undefined && { after }),
        })
        after = next
        const queue = [...rows]
        const work = async () => {
          for (let row = queue.shift(); row; row = queue.shift())
            if (await one(row).catch(() => false)) settled++
        }
        await Promise.all(Array.from({ length: width }, work))
      } while (after !== undefined)
    }
    return settled
  }
}
