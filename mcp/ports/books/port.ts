import type { StatementKind } from '../../lib/statement.ts'
import type { Account } from '../../payment/ledger/account.ts'
import type { Unit } from '../../payment/ledger/amount.ts'
import type { Lightning, PayableInvoice } from '../lightning/port.ts'
import type { Tx } from '../store/port.ts'

/** Somebody's holdings at a service, or as a person at all of them: an account of the ledger, and its unit. */
export type Book = {
  readonly account: `agent:${string}:${string}`
  readonly unit: Unit
  /** Set where all of it may leave: neither cards nor rates bring anything to it. */
  readonly isOpen?: true
}

/** Money on its way out of a book, or gone. Amounts in the smallest unit of the book. */
export type Withdrawal = {
  /** `wdr_…`; a payout has the same. */
  id: string
  book: Book
  way: 'usdc' | 'lightning'
  /** The wallet, or the invoice. */
  to: string
  value: string
  fee: string
  /** `queued` also while nobody knows what became of it; the money is on hold until somebody does. */
  state: 'queued' | 'sent' | 'failed'
  payment_hash: string | null
  /** The transaction, or the preimage where the node tells it. */
  proof: string | null
  /** Why the last try did not go. */
  problem: string | null
  created_at: string
  ended_at: string | null
}

/**
 * One movement of a book; `amount` is negative for what was taken. A `call` has its tool and receipt, at `/receipts/{id}`, and the
 * client of the person; a receipt is null while what was set aside waits for its call.
 */
export type StatementLine = {
  created_at: string
  /** The book: `account` that of a person, else its service and its account there. */
  book: string
  service: string | null
  kind: StatementKind
  tool: string | null
  client: string | null
  /** Decimal text in `unit`. */
  amount: string
  unit: string
  receipt: string | null
  /** Id of the entry in the ledger. */
  entry: string
  memo: string
}

type StatementQuery = {
  limit: number
  after?: string | undefined
  service?: string | undefined
  tool?: string | undefined
}

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
  /** Sends USDC to a wallet; all that may leave where no value is named. Throws `conflict` where less may leave. */
  withdrawUsdc(tx: Tx, order: { book: Book; to: string; value?: bigint | undefined }): Promise<Withdrawal>
  /** Pays an invoice, once. Throws `conflict` where less may leave, or where the invoice was used. */
  withdrawSats(
    tx: Tx,
    lightning: Lightning,
    order: PayableInvoice & { book: Book; invoice: string },
  ): Promise<Withdrawal>
  /** Undefined for one of another book. */
  findWithdrawal(tx: Tx, book: Book, id: string): Promise<Withdrawal | undefined>
  /** The withdrawals of a book, the newest first. */
  listWithdrawals(
    tx: Tx,
    book: Book,
    page: { limit: number; after?: string },
  ): Promise<{ rows: Withdrawal[]; next?: string | undefined }>
  /** Movements of books, the newest first. Throws `invalid_input` for an `after` that no page gave. */
  statement(
    tx: Tx,
    books: readonly Book[],
    query: StatementQuery,
  ): Promise<{ lines: StatementLine[]; next: string | null }>
  /** Makes a page of the processor of cards. Throws `unavailable` where no cards are taken. */
  openCardTopUp(order: CardOrder): Promise<{ id: string; url: string; expiresAt: Date }>
}
