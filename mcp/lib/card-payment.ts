import { ToolError } from '../kernel/error.ts'

/**
 * What a processor of cards tells of a payment. `order` is the id of ours, `payment` that of the processor; amounts are hundredths of
 * `currency`. `refunded` counts all refunds so far.
 */
export type CardEvent =
  | { kind: 'paid'; order: string; payment: string; cents: number; currency: string }
  | { kind: 'waiting' | 'failed'; order: string }
  | { kind: 'refunded'; payment: string; cents: number }
  | { kind: 'disputed'; payment: string; dispute: string; cents: number; state: 'open' | 'won' | 'lost' }
  | { kind: 'other' }

/** A payment by card for an account, in hundredths of a dollar; session and payment of the processor, once they are known. */
export type CardPayment = {
  id: string
  account: string
  cents: number
  session: string | null
  payment: string | null
  state: 'open' | 'waiting' | 'paid' | 'failed'
  created_at: string
}

/** Sums the processor gave back or holds back, maybe told before the payment itself. `id` is that of the payment. */
export type CardLoss = {
  id: string
  refunded: number
  disputes: Readonly<Record<string, { cents: number; state: 'open' | 'won' | 'lost' }>>
}

/** Hundredths of a dollar that are lost of a payment, never more than it was. */
export const lostCents = ({ cents }: CardPayment, loss: CardLoss | undefined): number => {
  if (!loss) return 0
  const disputed = Object.values(loss.disputes).filter(({ state }) => state !== 'won')
  return Math.min(
    cents,
    disputed.reduce((sum, dispute) => sum + dispute.cents, loss.refunded),
  )
}

/** A loss with what an event adds to it, in whatever order events come. */
export const noteLoss = (
  loss: CardLoss | undefined,
  event: Extract<CardEvent, { kind: 'refunded' | 'disputed' }>,
): CardLoss => {
  const before = loss ?? { id: event.payment, refunded: 0, disputes: {} }
  if (event.kind === 'refunded') return { ...before, refunded: Math.max(before.refunded, event.cents) }
  const { dispute, cents, state } = event
  const earlier = before.disputes[dispute]
  // A dispute that is over does not open again.
  if (earlier && earlier.state !== 'open' && state === 'open') return before
  return { ...before, disputes: { ...before.disputes, [dispute]: { cents, state } } }
}

/**
 * A payment as an event about its order leaves it. Throws `conflict` for another amount than was asked for: that is nobody's, and stays with
 * the processor for the operator to look at.
 */
export const noteOutcome = <Payment extends CardPayment>(
  payment: Payment,
  event: Extract<CardEvent, { order: string }>,
): Payment => {
  // What is paid stays so: an older event may come after a newer one.
  if (payment.state === 'paid') return payment
  if (event.kind !== 'paid') return { ...payment, state: event.kind }
  if (event.cents !== payment.cents || event.currency.toLowerCase() !== 'usd')
    throw new ToolError('conflict', 'The amount that was paid is not the one that was asked for.', {
      reason: 'amount_mismatch',
    })
  return { ...payment, state: 'paid', payment: event.payment }
}
