import type { Tx } from '../../../store/index.ts'
import type { Account } from './account.ts'
import type { Unit } from './amount.ts'
import { type Balance, type Line, readBalance, readStatement, type StatementPage } from './balance.ts'
import { entryRow, type NewEntry } from './entry.ts'
import { type Capture, captureHold, capturePrefix, holdMoney, type NewHold, releaseHold } from './hold.ts'
import { type InTransaction, inTurn } from './in-turn.ts'
import { postEntry } from './post.ts'

/**
 * Double-entry accounts in the store. Every write happens in the caller's transaction, together with whatever else the
 * caller writes there, and checks all before it writes anything.
 */
export type Ledger = {
  /**
   * Moves money, once per id. InsufficientBalance when an account with a floor would fall below what is held on it or
   * below zero; `conflict` when the id stands for an entry with other content; an Error when it does not sum to zero.
   */
  post<U extends Unit>(tx: InTransaction, entry: NewEntry<U>): Promise<'posted' | 'duplicate'>
  /**
   * Keeps money back from every debit until `until`. A repeated id is a duplicate, whatever became of the hold, and
   * leaves its `until` as it was; with another account or amount it is a `conflict`.
   */
  hold<U extends Unit>(tx: InTransaction, hold: NewHold<U>): Promise<'held' | 'duplicate'>
  /** Moves held money and frees the rest: `not_found`, `gone` once expired, `conflict` the second time or for too much. */
  capture(tx: InTransaction, id: string, capture: Capture): Promise<void>
  /** Frees held money: `not_found`, or `conflict` when it was captured or released before. */
  release(tx: InTransaction, id: string): Promise<void>
  /** `house:` and `world:` accounts are kept in parts: read outside of a transaction they may be seen half-way. */
  balance<U extends Unit>(tx: Tx, unit: U, account: Account): Promise<Balance<U>>
  /** Lists entries of an account, the newest first unless told, page by page. */
  statement<U extends Unit>(
    tx: Tx,
    unit: U,
    account: Account,
    page?: StatementPage,
  ): Promise<{ lines: Line<U>[]; next: string | undefined }>
}

/** The ledger; `now` decides when a hold expires. It keeps nothing in memory, any number may work on one store. */
export const openLedger = (now: () => Date = () => new Date()): Ledger => ({
  post: (tx, entry) =>
    inTurn(tx, async () => {
      if (entry.id.startsWith(capturePrefix))
        throw new Error(`entry "${entry.id}": "${capturePrefix}" is for captures`)
      return postEntry(tx, entryRow(entry, now()), now())
    }),
  hold: (tx, hold) => inTurn(tx, () => holdMoney(tx, hold, now())),
  capture: (tx, id, capture) => inTurn(tx, () => captureHold(tx, id, capture, now())),
  release: (tx, id) => inTurn(tx, () => releaseHold(tx, id, now())),
  balance: (tx, unit, account) => readBalance(tx, unit, account, now()),
  statement: (tx, unit, account, page = {}) => readStatement(tx, unit, account, page),
})
