import type { Books } from '../ports/books/port.ts'
import type { Card } from '../ports/card/port.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Ledger } from '../ports/payment/port.ts'
import type { Store } from '../ports/store/port.ts'
import { credit, loadBook } from './books.ts'
import { openCardTopUp } from './card-top-ups.ts'
import { listStatementLines } from './statement.ts'
import { openWithdrawals } from './withdrawal/withdrawal.ts'

type Deps = { store: Store; clock: Clock; ledger: Ledger; card?: Card | undefined }

/** The port `books`: what services do with the books of their accounts. */
export const openBooks = ({ ledger, ...deps }: Deps): Books => ({
  load: (tx, book) => loadBook(tx, ledger, book),
  credit: (tx, money) => credit(tx, ledger, money),
  statement: (tx, books, query) => listStatementLines(tx, ledger, books, query),
  ...openWithdrawals({ ...deps, ledger }),
  openCardTopUp: order => openCardTopUp(deps, order),
})
