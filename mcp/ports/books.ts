import type { Account } from '../payment/ledger/account.ts'
import type { Unit } from '../payment/ledger/amount.ts'
import type { Tx } from './index.ts'

/** Somebody's holdings at a service, or as a person at all of them: an account of the ledger, and its unit. */
export type Book = { readonly account: `agent:${string}:${string}`; readonly unit: Unit }

/** Amounts in the smallest unit of the book. `withdrawable` is what of the total may leave; `debt` is what the next credits pay first. */
export type BookBalance = {
  total: bigint
  held: bigint
  available: bigint
  debt: bigint
  withdrawable: bigint
}

/** Money that comes to a book. `id` is that of its entry: it comes once. */
export type BookCredit = {
  id: string
  book: Book
  value: bigint
  /** Out of which account of the ledger it comes. */
  source: Account
  memo: string
  /** The book that paid for it, and how much with the fee: what might have left there first may leave here. */
  spent?: { book: Book; value: bigint } | undefined
  /** Fee the house keeps beside it, out of the same source. */
  fee?: { to: `house:${string}`; value: bigint } | undefined
}

export type CardOrder = {
  /** Whose top-ups it is counted among. */
  account: string
  book: Book
  /** Amount the payment adds. */
  value: bigint
  /** Charge to the card, in hundredths of a dollar. */
  cents: number
  title: string
  returnUrl: string
}

/** The books of accounts, over the ledger: debts, what may leave, and top-ups by card. */
export type Books = {
  load(tx: Tx, book: Book): Promise<BookBalance>
  /** Brings money to a book. What it owes is paid first. */
  credit(tx: Tx, credit: BookCredit): Promise<'posted' | 'duplicate'>
  /** Moves what may leave a book to another account of the ledger, or back where `value` is negative. */
  moveOut(tx: Tx, move: { id: string; book: Book; to: Account; value: bigint; memo: string }): Promise<void>
  /** Makes a page of the processor of cards. Throws `unavailable` where no cards are taken. */
  openCardTopUp(order: CardOrder): Promise<{ id: string; url: string; expiresAt: Date }>
}
