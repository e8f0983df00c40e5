import { ToolError } from '../../../kernel/error.ts'
import type { CardEvent, Ledger, Tx } from '../../../ports/index.ts'
import { credit, takeBack } from './wallet.ts'

/** A top-up by card. `credited` is what the account has of it now, in thousandths of a satoshi; `moves` counts its entries. */
export type CardTopUp = {
  id: string
  account: string
  sats: number
  cents: number
  /** The session and the payment at the processor, once they are known. */
  session: string | null
  payment: string | null
  state: 'open' | 'waiting' | 'paid' | 'failed'
  credited: string
  moves: number
  created_at: string
}

/** What the processor gave back or holds back of a payment; it may tell so before the payment itself. `id` is that of the payment. */
type Loss = {
  id: string
  refunded: number
  disputes: Readonly<Record<string, { cents: number; state: 'open' | 'won' | 'lost' }>>
}

const topUpIndexes = [{ name: 'payment', fields: ['payment'], unique: true }] as const

export const cardTopUpsIn = (tx: Pick<Tx, 'collection'>) =>
  tx.collection<CardTopUp>('proof.card_top_ups', topUpIndexes)

const lossesIn = (tx: Pick<Tx, 'collection'>) => tx.collection<Loss>('proof.card_losses')

const source = 'world:proof-card' as const

const lostCents = ({ refunded, disputes }: Loss): number =>
  Object.values(disputes).reduce((sum, { cents, state }) => (state === 'won' ? sum : sum + cents), refunded)

/** What an account should have of a top-up, in thousandths of a satoshi; a part that is lost is rounded up. */
const due = ({ state, sats, cents }: CardTopUp, loss: Loss | undefined): bigint => {
  if (state !== 'paid') return 0n
  const lost = BigInt(Math.min(cents, loss ? lostCents(loss) : 0))
  const msat = BigInt(sats) * 1000n
  return msat - (msat * lost + BigInt(cents) - 1n) / BigInt(cents)
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

/** A payment of another amount than was asked for is nobody's top-up: it stays with the processor, for the operator to look at. */
const checkPaid = ({ cents }: CardTopUp, event: Extract<CardEvent, { kind: 'paid' }>): void => {
  if (event.cents === cents && event.currency.toLowerCase() === 'usd') return
  throw new ToolError('conflict', 'The amount that was paid is not the one that was asked for.', {
    reason: 'amount_mismatch',
  })
}

const noteOutcome = (topUp: CardTopUp, event: CardEvent): CardTopUp => {
  // What is paid stays so: an older event may come after a newer one.
  if (topUp.state === 'paid') return topUp
  if (event.kind === 'paid') {
    checkPaid(topUp, event)
    return { ...topUp, state: 'paid', payment: event.payment }
  }
  return { ...topUp, state: event.kind === 'failed' ? 'failed' : 'waiting' }
}

const noteLoss = async (
  tx: Tx,
  event: Extract<CardEvent, { kind: 'refunded' | 'disputed' }>,
): Promise<void> => {
  const before = (await lossesIn(tx).get(event.payment)) ?? { id: event.payment, refunded: 0, disputes: {} }
  if (event.kind === 'refunded') {
    await lossesIn(tx).put({ ...before, refunded: Math.max(before.refunded, event.cents) })
    return
  }
  const { dispute, cents, state } = event
  const earlier = before.disputes[dispute]
  // A dispute that is over does not open again.
  if (earlier && earlier.state !== 'open' && state === 'open') return
  await lossesIn(tx).put({ ...before, disputes: { ...before.disputes, [dispute]: { cents, state } } })
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
  if (event.kind === 'refunded' || event.kind === 'disputed') await noteLoss(tx, event)
  const topUp = await findTopUp(tx, event)
  if (!topUp) return false
  const noted = 'order' in event ? noteOutcome(topUp, event) : topUp
  await cardTopUpsIn(tx).put(await settle(tx, ledger, noted))
  return true
}
