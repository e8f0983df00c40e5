import type { Tx } from '../../../store/index.ts'
import { collection } from '../../kernel/collection.ts'

/** A transfer that is spent: `id` is its log, `by` what it paid for, `payment:<record>` or `tip:<id>`. */
export type Spent = {
  id: string
  by: string
  /** The chain moved the transfer to another block, where it has another log. */
  former?: true
}

const indexes = [{ name: 'by', fields: ['by'] }]

export const spentIn = collection<Spent>({
  name: 'payment.spent',
  indexes,
  archive: { afterHours: 24 },
  bounded: 'As many as were paid for.',
})

/** True when a transfer was spent on anything. */
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

/** Spends a transfer that a chain put into another block, under its new log too: the old one pays nothing else. */
export const respendLog = async (
  tx: Tx,
  former: string | null,
  log: string,
  by: string,
): Promise<boolean> => {
  const isOurs = await spendLog(tx, log, by)
  const before = former === null || former === log ? undefined : await spentIn(tx).get(former)
  if (isOurs && before?.by === by) await spentIn(tx).put({ ...before, former: true })
  return isOurs
}
