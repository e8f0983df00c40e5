import { formatUsd } from '../lib/usd.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Ledger } from '../ports/payment/port.ts'
import type { Store } from '../ports/store/port.ts'
import { booksIn, loadBook, toBook } from './books.ts'
import { cardTopUpsIn, mayBePaid } from './card-top-ups.ts'
import type { AccountPart } from './deps.ts'
import { paymentRequestsIn } from './payment-requests.ts'

const most = 1000

type Deps = { store: Store; ledger: Ledger; clock: Clock }

/** Data that a balance keeps of its account beside the ledger: debt, payment requests and payments by card. */
export const balancePart = ({ store, ledger, clock }: Deps): AccountPart => ({
  name: 'payments',
  async read(account) {
    const { debt } = await loadBook(store, ledger, toBook(account))
    const query = { index: 'account', where: { account }, limit: most }
    const [requests, cards] = await Promise.all([
      paymentRequestsIn(store).find(query),
      cardTopUpsIn(store).find(query),
    ])
    return { debt: String(debt), requests: requests.rows, card_top_ups: cards.rows }
  },
  async blocks(tx, account) {
    const { debt } = await loadBook(tx, ledger, toBook(account))
    if (debt > 0n) return `The balance owes ${formatUsd(debt)} USD for payments by card that were taken back.`
    const where = { account, state: 'covered' }
    if ((await paymentRequestsIn(tx).count({ index: 'account', where })) > 0)
      return 'Money is set aside for a call; within two hours it is on the balance again.'
    return (await mayBePaid(tx, account, clock.now()))
      ? 'A payment by card is under way, or a page for one was opened in the last two hours: what is paid there would be lost.'
      : undefined
  },
  async remove(tx, account) {
    const { rows } = await paymentRequestsIn(tx).find({ index: 'account', where: { account }, limit: most })
    for (const { id } of rows) await paymentRequestsIn(tx).delete(id)
    await booksIn(tx).delete(toBook(account).account)
  },
})
