import type { CardEvent } from '../../lib/card-payment.ts'

/** A page of the processor's where somebody pays by card. */
export type Checkout = {
  /** Id of the session at the processor. */
  session: string
  url: string
  expiresAt: Date
}

export type CheckoutOrder = {
  /** Our own id: an order that is repeated gets the same page. */
  id: string
  /** Hundredths of a dollar. */
  cents: number
  title: string
  /** Address the page sends people to when done. */
  returnUrl: string
}

/** A page of ours that was paid on: the order is our own id, the payment the processor's. */
export type PaidCheckout = { order: string; payment: string; cents: number; currency: string; at: Date }

/** A processor of cards, who holds what is entered there: no number of a card comes here. */
export type Card = {
  /** Throws `upstream` when the processor does not answer as it should. */
  createCheckout(order: CheckoutOrder): Promise<Checkout>
  /** Lists what was paid on pages of ours that were made since. Throws `upstream` when the processor does not answer as it should. */
  listPaid(since: Date): Promise<readonly PaidCheckout[]>
  /** The event in a webhook. Throws `forbidden` where it is not signed by the processor, `malformed` for what is no event. */
  readEvent(body: Uint8Array, signature: string | undefined): CardEvent
}
