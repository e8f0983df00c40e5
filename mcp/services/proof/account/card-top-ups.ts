import { collection } from '../../../kernel/collection.ts'
import {
  type CardEvent,
  type CardLoss,
  type CardPayment,
  lostCents,
  noteLoss,
  noteOutcome,
} from '../../../lib/card-payment.ts'
import type { Ledger, Tx } from '../../../ports/index.ts'
import { credit, takeBack } from './wallet.ts'

/** A top-up by card. `credited` is what the account has of it now, in thousandths of a satoshi; `moves` counts its entries. */
export type CardTopUp = CardPayment & { sats: number; credited: string; moves: number }

const topUpIndexes = [{ name: 'payment', fields: ['payment'], unique: true }] as const

export const cardTopUpsIn = collection<CardTopUp>({
  name: 'proof.card_top_ups',
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

const lossesIn = collection<CardLoss>({
  name: 'proof.card_losses',
  bounded: 'One for each payment that a card took back.',
})

const source = 'world:proof-card' as const

/** What an account should have of a top-up, in thousandths of a satoshi; a part that is lost is rounded up. */
const due = (topUp: CardTopUp, loss: CardLoss | undefined): bigint => {
  if (topUp.state !== 'paid') return 0n
  const [msat, cents] = [BigInt(topUp.sats) * 1000n, BigInt(topUp.cents)]
  return msat - (msat * BigInt(lostCents(topUp, loss)) + cents - 1n) / cents
}

/** Brings an account to what it should have of a top-up, whatever was told in whatever order. */
const settle = async (tx: Tx, ledger: Ledger, topUp: CardTopUp): Promise<CardTopUp> => {
  const loss = topUp.payment === null ? undefined : await lossesIn(tx).get(topUp.payment)
  const credited = due(topUp, loss)
  const msat = credited - BigInt(topUp.credited)
  if (msat === 0n) return topUp
  const move = { id: `card:${topUp.id}:${topUp.moves}`, account: topUp.account, source }
  if (msat > 0n) await credit(tx, ledger, { ...move, msat, memo: 'top_up by card' })
  else await takeBack(tx, ledger, { ...move, msat: -msat, memo: 'card payment taken back' })
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
