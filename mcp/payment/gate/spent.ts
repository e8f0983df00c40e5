import type { Tx } from '../../../store/index.ts'

/** A transfer that is spent: `id` is its log, `by` what it paid for, `payment:<record>` or `tip:<id>`. */
export type Spent = { id: string; by: string }

export const spentIn = (tx: Pick<Tx, 'collection'>) =>
  tx.collection<Spent>('payment.spent', [{ name: 'by', fields: ['by'] }])

/** Whether a transfer was spent on anything. */
export const isSpent = async (tx: Pick<Tx, 'collection'>, log: string): Promise<boolean> =>
  (await spentIn(tx).get(log)) !== undefined

/**
 * Spends a transfer, named `network:transaction:index`, once for all rails, tools and claims. True when it is now spent
 * by `by`, also when it was before; false when something else has spent it. Call it inside the transaction that gives
 * what the transfer paid for.
 */
export const spendLog = async (tx: Tx, log: string, by: string): Promise<boolean> => {
  const rows = spentIn(tx)
  const before = await rows.get(log)
  if (before) return before.by === by
  return rows.insert({ id: log, by })
}
