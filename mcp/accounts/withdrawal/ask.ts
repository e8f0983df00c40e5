import { ToolError } from '../../kernel/error.ts'
import type { Withdrawal } from '../../ports/books/port.ts'
import { requireUsd } from '../amount.ts'
import type { AccountDeps } from '../deps.ts'
import { findBookWallet, listOwnBooks, listPayoutWallets } from '../own-books.ts'
import { openWithdrawals } from './withdrawal.ts'

type Deps = Pick<
  AccountDeps,
  'store' | 'keys' | 'clock' | 'ledger' | 'serviceBooks' | 'lightning' | 'payouts'
>

/** A withdrawal as a person writes it down. */
type Asked = { book: string; to: string; usd: string; invoice: string }

const refuse = (field: string, message: string): ToolError =>
  new ToolError('invalid_input', `${field}: ${message}.`, { issues: [{ path: field, message }] })

const notHere = (way: string): ToolError =>
  new ToolError('unavailable', `Nothing is paid out by ${way} here.`)

/** Takes money out of a book of a person, to a wallet that they have shown to hold or to an invoice. */
export const askWithdrawal = async (
  deps: Deps,
  account: string,
  { book: name, to, usd, invoice }: Asked,
): Promise<Withdrawal> => {
  const { store, lightning, payouts } = deps
  const books = openWithdrawals(deps)
  const book = (await listOwnBooks(deps, account)).find(own => own.name === name)?.book
  if (!book) throw refuse('book', 'you have no such book')
  if (book.unit === 'msat') {
    if (!lightning) throw notHere('Lightning')
    const text = invoice
      .trim()
      .toLowerCase()
      .replace(/^lightning:/, '')
    const payable = await lightning.read(text)
    return store.transaction(tx => books.withdrawSats(tx, lightning, { ...payable, book, invoice: text }))
  }
  if (book.unit !== 'USDC') throw refuse('book', 'credits pay fees, and are no money that leaves')
  if (!payouts) throw notHere('wallet')
  const wallets = await listPayoutWallets(deps, account)
  const wallet = findBookWallet(book) ?? wallets.find(own => own === to.trim().toLowerCase())
  if (wallet === undefined) throw refuse('to', 'a wallet of your account is needed: add it as a key first')
  const value = usd.trim() === '' ? undefined : requireUsd(usd)
  return store.transaction(tx => books.withdrawUsdc(tx, { book, to: wallet, value }))
}
