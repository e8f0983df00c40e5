import { tellPeople } from '../../kernel/inbox.ts'
import { topic } from '../../kernel/topic.ts'
import type { Tx } from '../../ports/store/port.ts'
import { keyPrefix } from './account.ts'

/** Kind of event in an account's affairs. */
type AccountEventKind =
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
export type Event = {
  kind: AccountEventKind
  listing?: string
  thread?: string
  deal?: string
  credits?: number
}

/** The log of what happened to one account. */
export const accountEvents = topic({
  name: 'broker.events',
  budget: {
    what: 'events of deals',
    each: { rows: 2000, bytes: 1 << 20 },
    network: { rows: 10_000, bytes: 4 << 20 },
    allBytes: 64 << 20,
  },
})

/** Tells accounts what happened, in the transaction in which it happens. */
export const emitEvent = async (tx: Tx, accounts: readonly string[], event: Event): Promise<void> => {
  const each = [...new Set(accounts)]
  for (const account of each) await accountEvents.append(tx, account, { ...event })
  const { kind, listing, thread, deal, credits } = event
  const data = {
    ...(listing !== undefined && { listing_id: listing }),
    ...(thread !== undefined && { thread_id: thread }),
    ...(deal !== undefined && { deal_id: deal }),
    ...(credits !== undefined && { credits }),
  }
  await tellPeople(
    tx,
    each.map(holder => ({ prefix: keyPrefix, holder })),
    { service: 'broker', type: kind, subject: deal ?? thread ?? listing ?? null, data },
  )
}
