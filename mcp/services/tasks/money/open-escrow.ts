import type { Ports } from '../../../ports/ports.ts'
import { chainEscrow, isOnChain } from '../chain/escrow.ts'
import { type Escrow, ledgerEscrow } from './escrow.ts'

/** The escrow of each task where its money lies: in the contract if it was paid there, else in the books of the house. */
export const openEscrow = (ledger: Ports['ledger']): Escrow => {
  const books = ledgerEscrow(ledger)
  return {
    deposit: books.deposit,
    release: async (tx, step) =>
      (await isOnChain(tx, step.task)) ? chainEscrow.release(tx, step) : books.release(tx, step),
    refund: async (tx, step) =>
      (await isOnChain(tx, step.task)) ? chainEscrow.refund(tx, step) : books.refund(tx, step),
  }
}
