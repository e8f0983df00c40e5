import type { Clock, Store } from '../../ports/index.ts'
import type { Attempt, Offer, PaymentMethod } from '../method.ts'
import { LostHold } from './payment-records.ts'
import type { PaymentDeps } from './process-payment.ts'
import { type PaymentRow, paymentRows } from './record.ts'

const maxRows = 500

const isOver = async (method: PaymentMethod, attempt: Attempt, offer: Offer): Promise<boolean> => {
  const verified = await method.verify(attempt, offer)
  return !verified.ok && verified.reason === 'expired'
}

/** Finds out what became of payments that a process left behind, so that the operator sees what is owed. */
export const openReconcile = ({ methods, records, encryption }: PaymentDeps, store: Store, clock: Clock) => {
  const follow = async (row: PaymentRow, runner: string): Promise<boolean> => {
    const method = methods.find(({ id, network }) => id === row.method && network === row.network)
    const opened = row.sealed === null ? undefined : encryption.open(row.sealed)
    if (!method || opened === undefined) return false
    const { attempt, offer } = JSON.parse(opened) as { attempt: Attempt; offer: Offer }
    const { book } = method
    const found = await method.find(attempt, offer)
    if (found.state === 'settled') {
      await records.paid(row.id, runner, found, book && (tx => book.capture(tx, row.id)))
      await records.owed(row.id, runner)
      return true
    }
    if (found.state === 'failed' || (found.state === 'unused' && (await isOver(method, attempt, offer)))) {
      await records.failed(row.id, runner, book && (tx => book.release(tx, row.id)))
      return true
    }
    if (found.state === 'pending') await records.pending(row.id, runner, found.transaction)
    return false
  }

  const one = async ({ id }: PaymentRow): Promise<boolean> => {
    const runner = records.runner()
    const row = await records.hold(id, runner)
    if (!row) return false
    try {
      return (row.state === 'reserved' || row.state === 'pending') && (await follow(row, runner))
    } catch (thrown) {
      if (thrown instanceof LostHold) return false
      throw thrown
    } finally {
      await records.release(id, runner)
    }
  }

  return async (): Promise<number> => {
    let settled = 0
    const before = clock.now().toISOString()
    for (const state of ['reserved', 'pending']) {
      const where = { state, updated: { lte: before } }
      const { rows } = await paymentRows(store).find({ index: 'state', where, limit: maxRows })
      for (const row of rows) if (await one(row).catch(() => false)) settled++
    }
    return settled
  }
}
