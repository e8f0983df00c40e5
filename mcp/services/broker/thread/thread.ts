import { collection } from '../../../kernel/collection.ts'
import type { Terms } from '../terms/terms.ts'

/** The poster wrote the listing, the negotiator came to it. */
export type Side = 'poster' | 'negotiator'

export type ThreadState = 'open' | 'accepted' | 'finalized' | 'rejected' | 'closed' | 'expired'

/** One offer; the last one stands, the others are superseded. `text` is what a stranger wrote. */
export type Offer = {
  version: number
  by: Side
  terms: Terms
  terms_hash: string
  text: string | null
  made_at: string
  /** When it can no longer be accepted; null lets it stand as long as the thread. */
  expires_at: string | null
}

/** A negotiation over one listing. The negotiator's fee is on hold from the opening to the end. */
export type Thread = {
  /** `thr_…`, rising with time. */
  id: string
  listing: string
  poster: string
  negotiator: string
  /** Public names, by which each side looks up the other's reputation. */
  handles: Record<Side, string>
  state: ThreadState
  turn: Side
  offers: Offer[]
  /** Side that accepted the standing offer; null until somebody does. */
  accepted_by: Side | null
  /** Id of the hold in the ledger. */
  hold: string
  created_at: string
  moved_at: string
  /** 72 hours after the last move, 24 after an acceptance; then it is expired. */
  expires_at: string
  deal: string | null
}

export const threadsIn = collection<Thread>({
  name: 'broker.threads',
  indexes: [
    { name: 'listing', fields: ['listing', 'state', 'created_at'] },
    { name: 'poster', fields: ['poster', 'created_at'] },
    { name: 'negotiator', fields: ['negotiator', 'created_at'] },
    { name: 'expiry', fields: ['state', 'expires_at'] },
  ],
  bounded: 'Each has credits on hold; 100 an account, 256 KiB each at most.',
})

export const otherSide = (side: Side): Side => (side === 'poster' ? 'negotiator' : 'poster')

/** The one thread under way that an account may have on a listing; the id is made of both. */
export type ThreadPlace = { id: string; thread: string }

export const placesIn = collection<ThreadPlace>({
  name: 'broker.thread-places',
  bounded: 'One for each thread under way.',
})

export const placeId = ({ listing, negotiator }: Pick<Thread, 'listing' | 'negotiator'>): string =>
  `${listing} ${negotiator}`
