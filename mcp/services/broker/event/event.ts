import type { Tx } from '../../../ports/index.ts'

/** What may happen to an account's affairs. */
export type EventKind =
  | 'listing_posted'
  | 'listing_withdrawn'
  | 'listing_expired'
  | 'listing_closed'
  | 'thread_opened'
  | 'offer_made'
  | 'offer_accepted'
  | 'thread_closed'
  | 'thread_expired'
  | 'deal_sealed'
  | 'deal_rated'
  | 'deal_disputed'
  | 'deal_purged'
  | 'credits_added'
  | 'domain_granted'
  | 'key_rotated'

/** Ids only: what happened, and where to read it. */
export type Event = { kind: EventKind; listing?: string; thread?: string; deal?: string; credits?: number }

export const eventTopic = (account: string): string => `broker.events ${account}`

/** Tells accounts what happened, in the transaction in which it happens. */
export const emitEvent = async (tx: Tx, accounts: readonly string[], event: Event): Promise<void> => {
  for (const account of new Set(accounts)) await tx.append(eventTopic(account), { ...event })
}
