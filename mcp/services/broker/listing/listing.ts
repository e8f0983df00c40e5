import { collection } from '../../../kernel/collection.ts'
import type { Index } from '../../../ports/store/port.ts'
import type { Terms } from '../terms/terms.ts'

/** `sell` offers, `buy` looks for; everything else is the same, with the roles inverted. */
export type ListingType = 'sell' | 'buy'

export type ListingState = 'live' | 'closed' | 'expired' | 'withdrawn'

/** An offer or request of an account. It never changes but for its state. */
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
  /** False for one of the free ones, which live a day and come last; absent in older rows. */
  paid?: boolean
  created_at: string
  /** From then on it is expired, whoever noticed it first. */
  expires_at: string
  /** The deal that closed it. */
  deal: string | null
}

/** Indexes to read listings by. */
export const listingIndexes: readonly Index[] = [
  { name: 'paid', fields: ['state', 'paid', 'created_at'] },
  { name: 'type-paid', fields: ['state', 'listing_type', 'paid', 'created_at'] },
  { name: 'category-paid', fields: ['state', 'category', 'paid', 'created_at'] },
  { name: 'type-category-paid', fields: ['state', 'listing_type', 'category', 'paid', 'created_at'] },
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
    ends: 'A free listing ends after a day, a paid one after a week; each is dropped 30 days later, and a paid one counts beyond the bound.',
  },
})

/** Days that a listing is live. */
export const liveDays = { paid: 7, free: 1 }
