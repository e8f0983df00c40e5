import type { Index, Tx } from '../../../store/index.ts'
import { collection } from '../../kernel/collection.ts'
import type { Account } from './account.ts'
import type { Unit } from './amount.ts'

/** Amounts in documents are whole numbers of atomic units as text: JSON has no integers of this size. */
type Whole = string

/**
 * One entry of the journal; its postings are sorted by account, and those of each unit sum to zero. A posting has a unit where that is not
 * the entry's: an exchange has two. Written once, never changed.
 */
export type EntryRow = {
  id: string
  unit: Unit
  memo: string
  time: string
  postings: { account: Account; amount: Whole; unit?: Unit }[]
}

/** Effect of one entry on one account; `n` numbers the lines of a balance document in commit order. */
export type LineRow = {
  id: string
  account: string
  time: string
  n: number
  entry: string
  memo: string
  amount: Whole
}

/** A balance and how much of it live holds keep back. `n` and `time` are those of the last line. */
export type BalanceRow = { id: string; value: Whole; held: Whole; n: number; time: string }

/** Money kept back on an account. `until` is the instant from which it no longer is. */
export type HoldRow = {
  id: string
  account: string
  owner: Account
  unit: Unit
  amount: Whole
  until: string
  state: 'held' | 'captured' | 'released' | 'expired'
}

const byTime: readonly Index[] = [{ name: 'time', fields: ['time'] }]
const byAccount: readonly Index[] = [{ name: 'account', fields: ['account', 'time', 'n'] }]
/** Entries and lines are written once: what is older is read by who looks back. */
const archive = { afterHours: 24 }
const byState: readonly Index[] = [{ name: 'account', fields: ['account', 'state', 'until'] }]

export const openEntries = collection<EntryRow>({
  name: 'ledger.entry',
  indexes: byTime,
  archive,
  bounded: 'Each moves money.',
})
export const openLines = collection<LineRow>({
  name: 'ledger.line',
  indexes: byAccount,
  archive,
  bounded: 'The lines of an entry.',
})
export const openBalances = collection<BalanceRow>({
  name: 'ledger.balance',
  indexes: [],
  bounded: 'One for each account that money moved on.',
})
export const openHolds = collection<HoldRow>({
  name: 'ledger.hold',
  indexes: byState,
  bounded: 'Each keeps money back.',
})

/** The balance document, as it is before its first line where there is none. */
export const balanceRow = async (tx: Tx, id: string): Promise<BalanceRow> =>
  (await openBalances(tx).get(id)) ?? { id, value: '0', held: '0', n: 0, time: '' }
