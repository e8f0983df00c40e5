import { collection } from '../../../kernel/collection.ts'
import type { Link } from '../reputation/link.ts'
import type { Terms } from '../terms/terms.ts'
import type { Side } from '../thread/thread.ts'

/** Facts one side learns of the other when the deal is sealed. */
export type Reveal = {
  handle: string
  contact_name: string
  contact_email: string
  contact_url: string | null
  deal_route: string
  route_protocol_binding: string | null
  agent_card_url: string | null
}

export type DealRating = { score: 1 | 2 | 3 | 4 | 5; delivered: boolean | null; rated_at: string }

export type DealDispute = { statement: string; stated_at: string }

/** A sealed deal. Contacts, routes and terms are purged after 7 days; hash, receipt, ratings and disputes stay. */
export type Deal = {
  /** `deal_…` */
  id: string
  listing: string
  thread: string
  poster: string
  negotiator: string
  /** Which side sells. */
  seller: Side
  category: string
  /** Links of its sides when it was sealed; such a deal makes no reputation. Left out of older deals. */
  links?: readonly Link[]
  terms: Terms | null
  terms_hash: string
  fee_credits: { poster: number; negotiator: number }
  /** Facts each side may see of the other; null once purged. */
  reveals: Record<Side, Reveal> | null
  /** Compact JWS (EdDSA) over terms hash, parties, fees and time. */
  receipt: string
  sealed_at: string
  purge_at: string
  purged: boolean
  ratings: Record<Side, DealRating | null>
  disputes: Record<Side, DealDispute | null>
}

export const dealsIn = collection<Deal>({
  name: 'broker.deals',
  indexes: [
    { name: 'poster', fields: ['poster', 'sealed_at'] },
    { name: 'negotiator', fields: ['negotiator', 'sealed_at'] },
    { name: 'purge', fields: ['purged', 'purge_at'] },
  ],
  archive: { afterHours: 24 },
  bounded: 'Both sides paid for it.',
})
