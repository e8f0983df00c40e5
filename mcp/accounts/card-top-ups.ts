import { randomBytes } from 'node:crypto'
import { collection } from '../kernel/collection.ts'
import { ToolError } from '../kernel/error.ts'
import {
  type CardEvent,
  type CardLoss,
  type CardPayment,
  lostCents,
  noteLoss,
  noteOutcome,
} from '../lib/card-payment.ts'
import type { Book, Books, CardOrder } from '../ports/books/port.ts'
import type { Card } from '../ports/card/port.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Ledger } from '../ports/payment/port.ts'
import type { Store, Tx } from '../ports/store/port.ts'
import { bookKind, credit, takeBack, toBook } from './books.ts'

/**
 * A top-up by card. `value` is what it adds when it is paid, `credited` what the book has of it now, both in the smallest unit of the
 * book; `moves` counts its entries. Without a book it is one of the dollars of a person, of an earlier version.
 */
export type CardTopUp = CardPayment & { book?: Book; value?: string; credited: string; moves: number }

const topUpIndexes = [
  { name: 'payment', fields: ['payment'], unique: true },
  { name: 'account', fields: ['account', 'created_at'] },
  { name: 'state', fields: ['account', 'state', 'created_at'] },
]

export const cardTopUpsIn = collection<CardTopUp>({
  name: 'accounts.card_top_ups',
  indexes: topUpIndexes,
  budget: {
    what: 'pages to pay by card',
    owner: ({ account }) => account,
    counts: ({ state }) => state === 'open',
    each: { rows: 50, bytes: 256 << 10 },
    network: { rows: 200, bytes: 1 << 20 },
    allBytes: 32 << 20,
    ends: 'A page that nobody pays on is over after two hours.',
  },
})

/** A page of the processor is open for an hour; what was paid on it may be told later. */
const openMs = 2 * 3_600_000

/** True when a payment by card may still come for an account: one is being processed, or a page for one is open. */
export const mayBePaid = async (tx: Pick<Tx, 'collection'>, account: string, now: Date): Promise<boolean> => {
  const since = new Date(now.getTime() - openMs).toISOString()
  const counts = await Promise.all(
    [{ state: 'waiting' }, { state: 'open', created_at: { gte: since } }].map(where =>
      cardTopUpsIn(tx).count({ index: 'state', where: { account, ...where } }),
    ),
  )
  return counts.some(count => count > 0)
}

export const lossesIn = collection<CardLoss>({
  name: 'accounts.card_losses',
  bounded: 'One for each payment that a card took back.',
})

/** Millionths of a dollar in a cent. */
export const perCent = 10_000n

/** Computes a book's due of a top-up; a part that is lost is rounded up. */
const due = (topUp: CardTopUp, loss: CardLoss | undefined): bigint => {
  if (topUp.state !== 'paid') return 0n
  const cents = BigInt(topUp.cents)
  const value = BigInt(topUp.value ?? cents * perCent)
  return value - (value * BigInt(lostCents(topUp, loss)) + cents - 1n) / cents
}

/** Brings a book to what it should have of a top-up, whatever was told in whatever order. */
const settle = async (tx: Tx, ledger: Ledger, topUp: CardTopUp): Promise<CardTopUp> => {
  const loss = topUp.payment === null ? undefined : await lossesIn(tx).get(topUp.payment)
  const credited = due(topUp, loss)
  const value = credited - BigInt(topUp.credited)
  if (value === 0n) return topUp
  const { book = toBook(topUp.account) } = topUp
  const source = `world:${bookKind(book)}-card` as const
  const move = { id: `card:${topUp.id}:${topUp.moves}`, book, source }
  if (value > 0n) await credit(tx, ledger, { ...move, value, memo: 'top-up by card' })
  else await takeBack(tx, ledger, { ...move, value: -value, memo: 'card payment taken back' })
  return { ...topUp, credited: String(credited), moves: topUp.moves + 1 }
}

const findTopUp = async (tx: Tx, event: CardEvent): Promise<CardTopUp | undefined> => {
  if (event.kind === 'other') return undefined
  if ('order' in event) return cardTopUpsIn(tx).get(event.order)
  const { rows } = await cardTopUpsIn(tx).find({
    index: 'payment',
    where: { payment: event.payment },
    limit: 1,
  })
  return rows[0]
}

/**
 * Does what an event says, however often and in whatever order events come: the account has what was paid less what was taken back.
 * True where the event is about a top-up of ours. Throws `conflict` for a payment of another amount.
 */
export const applyCardEvent = async (tx: Tx, ledger: Ledger, event: CardEvent): Promise<boolean> => {
  if (event.kind === 'refunded' || event.kind === 'disputed')
    await lossesIn(tx).put(noteLoss(await lossesIn(tx).get(event.payment), event))
  const topUp = await findTopUp(tx, event)
  if (!topUp) return false
  const noted = 'order' in event ? noteOutcome(topUp, event) : topUp
  await cardTopUpsIn(tx).put(await settle(tx, ledger, noted))
  return true
}

/** Bounds of a card charge, in hundredths of a dollar: less is eaten up by fees, more asks for another way. */
export const cardBounds = { min: 100, max: 50_000 } as const

/** Pages that one account may have made in a UTC day. */
const pagesPerDay = 50

type Deps = { store: Store; clock: Clock; card?: Card | undefined }

/** Makes a page of the processor of cards. Throws `unavailable` where no cards are taken, `too_many_requests` past what a day has. */
export const openCardTopUp = async (
  { store, clock, card }: Deps,
  { account, book, value, cents, title, returnUrl }: CardOrder,
): ReturnType<Books['openCardTopUp']> => {
  if (!card) throw new ToolError('unavailable', 'No cards are taken here.')
  const created_at = clock.now().toISOString()
  const id = randomBytes(16).toString('hex')
  // It is there before the processor knows of it, so that no payment comes for a top-up that nobody knows.
  await store.transaction(async tx => {
    const where = { account, created_at: { gte: created_at.slice(0, 10) } }
    if ((await cardTopUpsIn(tx).count({ index: 'account', where })) >= pagesPerDay)
      throw new ToolError('too_many_requests', 'This account has made too many pages for cards today.', {
        retryAfter: 3600,
      })
    const payment = { session: null, payment: null, state: 'open', credited: '0', moves: 0 } as const
    await cardTopUpsIn(tx).insert({ id, account, book, value: String(value), cents, ...payment, created_at })
  })
  const checkout = await card.createCheckout({ id, cents, title, returnUrl })
  await cardTopUpsIn(store).update(id, row => ({ ...row, session: checkout.session }))
  return { id, url: checkout.url, expiresAt: checkout.expiresAt }
}
