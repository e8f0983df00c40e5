import type { Book, Books } from '../../../ports/books/port.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** The unit of balances: thousandths of a satoshi. */
export const walletUnit = 'msat' as const

/** An account's name in the ledger. */
export const toWalletAccount = (account: string) => `agent:proof:${account}` as const

/** The sats of an account. */
export const toWalletBook = (account: string): Book => ({
  account: toWalletAccount(account),
  unit: walletUnit,
})

const toSats = (msat: bigint): number => Number(msat / 1000n)

/** Loads an account's balance in whole sats. At most what is free may leave, and nothing while it owes. */
export const loadBalance = async (tx: Tx, books: Books, account: string) => {
  const { held, available, debt, withdrawable } = await books.load(tx, toWalletBook(account))
  const payable = withdrawable < available ? withdrawable : available
  return {
    available: toSats(available),
    held: toSats(held),
    debt: toSats(debt + 999n),
    withdrawable: debt > 0n ? 0 : toSats(payable),
  }
}
