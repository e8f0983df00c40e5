import { collection } from '../kernel/collection.ts'
import type { Book, BookBalance, BookCredit } from '../ports/books/port.ts'
import type { Ledger, Account as LedgerAccount, Unit } from '../ports/payment/port.ts'
import type { Tx } from '../ports/store/port.ts'
import { balanceUnit, toWallet } from './account.ts'

/** Facts of a book that the ledger lacks. `id` is its account there; amounts are in its smallest unit. */
type BookRow = { id: string; debt: string; withdrawable: string }

export const booksIn = collection<BookRow>({
  name: 'accounts.books',
  bounded: 'One for each account that money came to.',
})

const emptyRow = { debt: '0', withdrawable: '0' }

/** The dollars of a person. */
export const toBook = (account: string): Book => ({ account: toWallet(account), unit: balanceUnit })

/** The kind of the book of a person. */
export const personKind = 'account'

/** Whose kind a book is: that of a person is `account`, others are named after their service. */
export const bookKind = ({ account }: Book): string => account.split(':')[1] ?? ''

/** Debts of books of a kind for card payments that were taken back after they were spent. */
const toDebts = (book: Book) => `house:${bookKind(book)}-debts` as const

/**
 * Only what came in the unit of the book may leave: what comes by card can be taken back, and a rate of an operator is no exchange.
 */
const isWithdrawable = ({ unit }: Book, source: LedgerAccount): boolean =>
  unit === 'msat' ? /^world:.*-lightning$/.test(source) : /^world:.*-(x402-\w+|broadcast)$/.test(source)

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** A ledger writes no posting of nothing. */
const post = (
  tx: Tx,
  ledger: Ledger,
  { unit }: Book,
  { id, memo }: { id: string; memo: string },
  moves: readonly (readonly [LedgerAccount, bigint])[],
) => {
  const postings = moves
    .filter(([, value]) => value !== 0n)
    .map(([account, value]) => ({ account, amount: { unit, value } }))
  return ledger.post(tx, { id, unit, memo, postings })
}

/** Loads a book: money to spend, held for calls under way, owed, free to leave. What may not leave is spent first. */
export const loadBook = async (
  tx: Pick<Tx, 'collection'>,
  ledger: Ledger,
  { account, unit, isOpen }: Book,
): Promise<BookBalance> => {
  const { total, held, available } = await ledger.balance(tx as Tx, unit, account)
  const { debt, withdrawable } = (await booksIn(tx as Tx).get(account)) ?? emptyRow
  return {
    total: total.value,
    held: held.value,
    available: available.value,
    debt: BigInt(debt),
    withdrawable: isOpen ? total.value : min(BigInt(withdrawable), total.value),
  }
}

const saveBook = async (
  tx: Tx,
  { account: id, isOpen }: Book,
  { debt, withdrawable }: Pick<BookBalance, 'debt' | 'withdrawable'>,
): Promise<void> => {
  if (isOpen) return
  const row = { id, debt: String(debt), withdrawable: String(withdrawable) }
  const before = (await booksIn(tx).get(id)) ?? emptyRow
  if (before.debt !== row.debt || before.withdrawable !== row.withdrawable) await booksIn(tx).put(row)
}

/**
 * Brings money to a book, once per id. What it owes is paid first. Throws InsufficientBalance (`conflict`) where it comes out of an
 * account that has too little.
 */
export const credit = async (
  tx: Tx,
  ledger: Ledger,
  { id, book, value, source, memo, spent, fee }: BookCredit,
): Promise<'posted' | 'duplicate'> => {
  const { debt, withdrawable } = await loadBook(tx, ledger, book)
  const payer = spent && (await loadBook(tx, ledger, spent.book))
  const repaid = min(debt, value)
  const passed =
    spent && payer ? min(payer.withdrawable, spent.value) : isWithdrawable(book, source) ? value : 0n
  const outcome = await post(tx, ledger, book, { id, memo }, [
    [source, -value - (fee?.value ?? 0n)],
    [toDebts(book), repaid],
    [book.account, value - repaid],
    [fee?.to ?? toDebts(book), fee?.value ?? 0n],
  ])
  if (outcome === 'duplicate') return outcome
  await saveBook(tx, book, {
    debt: debt - repaid,
    withdrawable: withdrawable + min(passed, value - repaid),
  })
  if (spent && payer)
    await saveBook(tx, spent.book, { debt: payer.debt, withdrawable: payer.withdrawable - passed })
  return outcome
}

/** Takes back what a processor took back, once per id. What was spent or is held for calls becomes a debt. */
export const takeBack = async (
  tx: Tx,
  ledger: Ledger,
  { id, book, value, source, memo }: Omit<BookCredit, 'spent' | 'fee'>,
): Promise<void> => {
  const { available, debt, withdrawable } = await loadBook(tx, ledger, book)
  const debit = min(available, value)
  const outcome = await post(tx, ledger, book, { id, memo }, [
    [book.account, -debit],
    [toDebts(book), debit - value],
    [source, value],
  ])
  if (outcome === 'posted') await saveBook(tx, book, { debt: debt + value - debit, withdrawable })
}

/** Moves what may leave a book to another account, once per id; a negative value comes back, and may leave again. */
export const moveOut = async (
  tx: Tx,
  ledger: Ledger,
  { id, book, to, value, memo }: { id: string; book: Book; to: LedgerAccount; value: bigint; memo: string },
): Promise<void> => {
  const { debt, withdrawable } = await loadBook(tx, ledger, book)
  const outcome = await post(tx, ledger, book, { id, memo }, [
    [book.account, -value],
    [to, value],
  ])
  if (outcome === 'posted') await saveBook(tx, book, { debt, withdrawable: withdrawable - value })
}

/** Moves money of one book to another of another unit, with both legs in one entry, once per id. What comes at a rate may not leave. */
export const exchange = async (
  tx: Tx,
  ledger: Ledger,
  {
    id,
    from,
    value,
    to,
    got,
    memo,
  }: { id: string; from: Book; value: bigint; to: Book; got: bigint; memo: string },
): Promise<void> => {
  const { debt, withdrawable } = await loadBook(tx, ledger, to)
  const repaid = min(debt, got)
  const leg = ({ unit }: Book, account: LedgerAccount, value: bigint) => ({
    account,
    amount: { unit, value },
  })
  const postings = [
    leg(from, from.account, -value),
    leg(from, `house:exchange-${from.unit}`, value),
    leg(to, `house:exchange-${to.unit}`, -got),
    leg(to, toDebts(to), repaid),
    leg(to, to.account, got - repaid),
  ].filter(({ amount }) => amount.value !== 0n)
  const outcome = await ledger.post<Unit>(tx, { id, unit: from.unit, memo, postings })
  if (outcome === 'posted') await saveBook(tx, to, { debt: debt - repaid, withdrawable })
}

/** The ledger account that has what was set aside for one call. */
export const toEscrow = (request: string) => `escrow:account:${request}` as const

/** Sets money of a person aside for one call, out of the book or of a payment that came for it. Throws `conflict` where there is too little. */
export const setAside = async (
  tx: Tx,
  ledger: Ledger,
  {
    request,
    from,
    value,
    ...entry
  }: { id: string; request: string; from: LedgerAccount; value: bigint; memo: string },
): Promise<void> => {
  await post(tx, ledger, toBook(''), entry, [
    [from, -value],
    [toEscrow(request), value],
  ])
}
