import type { Tx } from '../../../store/index.ts'

/** A transaction and not the store itself: money moves in several steps, which must become true together. */
export type InTransaction = Tx & { readonly transaction?: never }

const last = new WeakMap<Tx, Promise<unknown>>()

/**
 * Runs the ledger's writes of one transaction one after the other, so that a caller who does not await them one by one
 * does not let two of them start from the same balance.
 */
export const inTurn = <R>(tx: InTransaction, work: () => Promise<R>): Promise<R> => {
  if ('transaction' in tx) return Promise.reject(new Error('the ledger writes inside of a transaction only'))
  const mine = (last.get(tx) ?? Promise.resolve()).then(work)
  last.set(
    tx,
    mine.catch(() => undefined),
  )
  return mine
}
