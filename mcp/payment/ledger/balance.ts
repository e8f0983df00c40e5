import type { Tx } from '../../../store/index.ts'
import { type Account, accountKey, balanceIds, checkAccount } from './account.ts'
import type { Amount, Unit } from './amount.ts'
import { expiredHolds, sumHolds } from './expiry.ts'
import { balanceRow, openLines } from './rows.ts'

/** `available` is what can be spent: the total without what live holds keep back. */
export type Balance<U extends Unit = Unit> = { total: Amount<U>; held: Amount<U>; available: Amount<U> }

/** Effect of one entry on an account. */
export type Line<U extends Unit = Unit> = { entry: string; time: string; memo: string; amount: Amount<U> }

/** `after` is the `next` of the page before; 1 to 1000 lines, 100 unless told, the newest first unless told. */
export type StatementPage = { after?: string; limit?: number; order?: 'asc' | 'desc' }

/** The balance of an account; zero for one that nobody has posted to. */
export const readBalance = async <U extends Unit>(
  tx: Tx,
  unit: U,
  account: Account,
  now: Date,
): Promise<Balance<U>> => {
  checkAccount(account)
  const rows = await Promise.all(balanceIds(unit, account).map(id => balanceRow(tx, id)))
  const total = rows.reduce((sum, { value }) => sum + BigInt(value), 0n)
  const stored = rows.reduce((sum, row) => sum + BigInt(row.held), 0n)
  const over = stored === 0n ? [] : await expiredHolds(tx, accountKey(unit, account), now)
  const heldAmount = stored - sumHolds(over)
  return {
    total: { unit, value: total },
    held: { unit, value: heldAmount },
    available: { unit, value: total - heldAmount },
  }
}

/** The lines of an account, page by page. Throws BadCursor on an `after` that no page gave. */
export const readStatement = async <U extends Unit>(
  tx: Tx,
  unit: U,
  account: Account,
  { order = 'desc', ...page }: StatementPage,
): Promise<{ lines: Line<U>[]; next: string | undefined }> => {
  checkAccount(account)
  const where = { account: accountKey(unit, account) }
  const { rows, next } = await openLines(tx).find({ index: 'account', where, order, ...page })
  const lines = rows.map(({ entry, time, memo, amount }) => ({
    entry,
    time,
    memo,
    amount: { unit, value: BigInt(amount) },
  }))
  return { lines, next }
}
