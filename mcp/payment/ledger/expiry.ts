import type { Tx } from '../../../store/index.ts'
import { type BalanceRow, type HoldRow, openBalances, openHolds } from './rows.ts'

const most = 1000

/** The holds of an account whose time is over, though nobody has let go of them yet. */
export const expiredHolds = async (tx: Tx, account: string, now: Date): Promise<HoldRow[]> => {
  const where = { account, state: 'held', until: { lte: now.toISOString() } }
  const expiredHolds: HoldRow[] = []
  for (let after: string | undefined; ; ) {
    const { rows, next } = await openHolds(tx).find({
      index: 'account',
      where,
      limit: most,
      ...(after && { after }),
    })
    expiredHolds.push(...rows)
    if (!next) return expiredHolds
    after = next
  }
}

export const sumHolds = (holds: readonly HoldRow[]): bigint =>
  holds.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/** Lets go of expired holds on the account that this balance belongs to; returns the balance without them. */
export const withoutExpired = async (tx: Tx, row: BalanceRow, now: Date): Promise<BalanceRow> => {
  const expired = await expiredHolds(tx, row.id, now)
  if (expired.length === 0) return row
  for (const hold of expired) await openHolds(tx).put({ ...hold, state: 'expired' })
  const freed = { ...row, held: (BigInt(row.held) - sumHolds(expired)).toString() }
  await openBalances(tx).put(freed)
  return freed
}
