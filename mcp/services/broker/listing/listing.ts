import { collection } from '../../../kernel/collection.ts'
import type { Index } from '../../../ports/index.ts'
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

export const listingsIn = collection<Listing>({
  name: 'broker.listings',
  indexes: listingIndexes,
  budget: {
    what: 'free listings',
    owner: ({ account }) => account,
    each: { rows: 20, bytes: 1 << 20 },
    network: { rows: 240, bytes: 8 << 20 },
    allBytes: 64 << 20,
    ends: 'A listing ends after a week and is dropped 30 days later; a paid one counts beyond the bound.',
  },
})

/** Days that a listing is live. */
export const liveDays = 7
