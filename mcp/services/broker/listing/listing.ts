import type { Index, Tx } from '../../../ports/index.ts'
import type { Terms } from '../terms/terms.ts'

/** `sell` offers, `buy` looks for; everything else is the same, with the roles inverted. */
export type ListingType = 'sell' | 'buy'

export type ListingState = 'live' | 'closed' | 'expired' | 'withdrawn'

/** What an account offers or looks for. It never changes but for its state. */
export type Listing = {
  /** `lst_…`, rising with time. */
  id: string
  account: string
  handle: string
  listing_type: ListingType
  state: ListingState
  title: string
  body: string
  category: string
  terms: Terms
  terms_hash: string
  created_at: string
  /** A week later; from then on it is expired, whoever noticed it first. */
  expires_at: string
  /** The deal that closed it. */
  deal: string | null
}

/** What listings are read by. */
export const listingIndexes: readonly Index[] = [
  { name: 'state', fields: ['state', 'created_at'] },
  { name: 'type', fields: ['state', 'listing_type', 'created_at'] },
  { name: 'category', fields: ['state', 'category', 'created_at'] },
  { name: 'type-category', fields: ['state', 'listing_type', 'category', 'created_at'] },
  { name: 'owner', fields: ['account', 'created_at'] },
  { name: 'expiry', fields: ['state', 'expires_at'] },
  { name: 'words', fields: ['title', 'body'], words: true },
]

export const listingsIn = (tx: Tx) => tx.collection<Listing>('broker.listings', listingIndexes)

/** Days that a listing is live. */
export const liveDays = 7
