import type { Clock, Store } from '../../ports/index.ts'
import type { Offer, Payload, Rail } from '../rail.ts'
import { LostHold } from './books.ts'
import type { Bench } from './flight.ts'
import { type PaymentRow, paymentRows } from './record.ts'

const most = 500

const isOver = async (rail: Rail, payload: Payload, offer: Offer): Promise<boolean> => {
  const verified = await rail.verify(payload, offer)
  return !verified.ok && verified.reason === 'expired'
}

/** Finds out what became of payments that a process left behind, so that the operator sees what is owed. */
export const openReconcile = ({ rails, books, vault }: Bench, store: Store, clock: Clock) => {
  const follow = async (row: PaymentRow, runner: string): Promise<boolean> => {
    const rail = rails.find(({ network }) => network === row.network)
    const opened = row.sealed === null ? undefined : vault.open(row.sealed)
    if (!rail || opened === undefined) return false
    const { payload, offer } = JSON.parse(opened) as { payload: Payload; offer: Offer }
    const found = await rail.find(payload, offer)
    if (found.state === 'settled') {
      await books.paid(row.id, runner, found)
      await books.owed(row.id, runner)
      return true
    }
    if (found.state === 'failed' || (found.state === 'unused' && (await isOver(rail, payload, offer)))) {
      await books.failed(row.id, runner)
      return true
    }
    if (found.state === 'pending') await books.pending(row.id, runner, found.transaction)
    return false
  }

  const one = async ({ id }: PaymentRow): Promise<boolean> => {
    const runner = books.runner()
    const row = await books.hold(id, runner)
    if (!row) return false
    try {
      return (row.state === 'reserved' || row.state === 'pending') && (await follow(row, runner))
    } catch (thrown) {
      if (thrown instanceof LostHold) return false
      throw thrown
    } finally {
      await books.release(id, runner)
    }
  }

  return async (): Promise<number> => {
    let settled = 0
    const before = clock.now().toISOString()
    for (const state of ['reserved', 'pending']) {
      const where = { state, updated: { lte: before } }
      const { rows } = await paymentRows(store).find({ index: 'state', where, limit: most })
      for (const row of rows) if (await one(row).catch(() => false)) settled++
    }
    return settled
  }
}
