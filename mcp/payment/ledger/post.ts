import type { Tx } from '../../../store/index.ts'
import { ToolError } from '../../kernel/error.ts'
import { type Account, accountKey, balanceId, hasFloor } from './account.ts'
import type { Unit } from './amount.ts'
import { isSameEntry } from './entry.ts'
import { withoutExpired } from './expiry.ts'
import { InsufficientBalance } from './insufficient.ts'
import { type BalanceRow, balanceRow, type EntryRow, openBalances, openEntries, openLines } from './rows.ts'

type Change = { account: Account; unit: Unit; amount: bigint; row: BalanceRow }

const availableIn = ({ value, held }: BalanceRow): bigint => BigInt(value) - BigInt(held)

const isShort = ({ account, amount, row }: Change): boolean =>
  amount < 0n && hasFloor(account) && availableIn(row) + amount < 0n

/** Room that expired holds still take is given back only when it is needed. */
const withRoom = async (tx: Tx, change: Change, now: Date): Promise<Change> =>
  isShort(change) && change.row.held !== '0'
    ? { ...change, row: await withoutExpired(tx, change.row, now) }
    : change

const planChanges = async (tx: Tx, { id, unit, postings }: EntryRow, now: Date): Promise<Change[]> => {
  const changes: Change[] = []
  for (const { account, amount, unit: own = unit } of postings) {
    const row = await balanceRow(tx, balanceId(own, account, id))
    changes.push(await withRoom(tx, { account, unit: own, amount: BigInt(amount), row }, now))
  }
  return changes
}

const requireSameEntry = (stored: EntryRow, entry: EntryRow): 'duplicate' => {
  if (isSameEntry(stored, entry)) return 'duplicate'
  throw new ToolError('conflict', `The ledger has another entry with the id "${entry.id}".`)
}

const write = async (tx: Tx, { id, memo, time }: EntryRow, { account, unit, amount, row }: Change) => {
  const n = row.n + 1
  const later = time > row.time ? time : row.time
  await openBalances(tx).put({ ...row, value: (BigInt(row.value) + amount).toString(), n, time: later })
  await openLines(tx).put({
    id: `${id} ${account}`,
    account: accountKey(unit, account),
    time: later,
    n,
    entry: id,
    memo,
    amount: amount.toString(),
  })
}

/**
 * Writes an entry and what it does to the balances, once. All checks come before the first write, so that a caller may
 * catch what is thrown and go on with the transaction.
 */
export const postEntry = async (tx: Tx, entry: EntryRow, now: Date): Promise<'posted' | 'duplicate'> => {
  const changes = await planChanges(tx, entry, now)
  const short = changes.find(isShort)
  if (short) {
    const stored = await openEntries(tx).get(entry.id)
    if (stored) return requireSameEntry(stored, entry)
    const { unit } = short
    const available = availableIn(short.row)
    throw new InsufficientBalance(short.account, { unit, value: -short.amount }, { unit, value: available })
  }
  // Asked by inserting: to look for it first would make all who write near this id on PostgreSQL wait for each other.
  if (!(await openEntries(tx).insert(entry))) {
    const stored = await openEntries(tx).get(entry.id)
    if (stored) return requireSameEntry(stored, entry)
    throw new Error(`entry "${entry.id}" is neither there nor can it be written`)
  }
  for (const change of changes) await write(tx, entry, change)
  return 'posted'
}
