import type { Books, Card, Clock, Ledger, Store } from '../ports/index.ts'
import { credit, loadBook, moveOut } from './books.ts'
import { openCardTopUp } from './card-top-ups.ts'

type Deps = { store: Store; clock: Clock; ledger: Ledger; card?: Card | undefined }

/** The port `books`: what services do with the books of their accounts. */
export const openBooks = ({ ledger, ...deps }: Deps): Books => ({
  load: (tx, book) => loadBook(tx, ledger, book),
  credit: (tx, money) => credit(tx, ledger, money),
  moveOut: (tx, move) => moveOut(tx, ledger, move),
  openCardTopUp: order => openCardTopUp(deps, order),
})
