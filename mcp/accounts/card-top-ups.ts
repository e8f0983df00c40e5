import { collection } from '../kernel/collection.ts'
import {
  type CardEvent,
  type CardLoss,
  type CardPayment,
  lostCents,
  noteLoss,
  noteOutcome,
} from '../lib/card-payment.ts'
import type { Ledger, Tx } from '../ports/index.ts'
import { credit, takeBack } from './balance.ts'

/** A top-up by card. `credited` is what the account has of it now, in millionths of a dollar; `moves` counts its entries. */
export type CardTopUp = CardPayment & { credited: string; moves: number }

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

/** Whether a payment by card may still come for an account: one is being processed, or a page for one is open. */
export const mayBePaid = async (tx: Pick<Tx, 'collection'>, account: string, now: Date): Promise<boolean> => {
  const since = new Date(now.getTime() - openMs).toISOString()
  const counts = await Promise.all(
    [{ state: 'waiting' }, { state: 'open', created_at: { gte: since } }].map(where =>
      cardTopUpsIn(tx).count({ index: 'state', where: { account, ...where } }),
    ),
  )
  return counts.some(count => count > 0)
}

const lossesIn = collection<CardLoss>({
  name: 'accounts.card_losses',
  bounded: 'One for each payment that a card took back.',
})

const source = 'world:account-card' as const

/** Millionths of a dollar in a cent. */
export const perCent = 10_000n

/** What an account should have of a top-up, in millionths of a dollar. */
const due = (topUp: CardTopUp, loss: CardLoss | undefined): bigint =>
  topUp.state === 'paid' ? BigInt(topUp.cents - lostCents(topUp, loss)) * perCent : 0n

/** Brings an account to what it should have of a top-up, whatever was told in whatever order. */
const settle = async (tx: Tx, ledger: Ledger, topUp: CardTopUp): Promise<CardTopUp> => {
  const loss = topUp.payment === null ? undefined : await lossesIn(tx).get(topUp.payment)
  const credited = due(topUp, loss)
  const value = credited - BigInt(topUp.credited)
  if (value === 0n) return topUp
  const move = { id: `card:${topUp.id}:${topUp.moves}`, account: topUp.account, source }
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
