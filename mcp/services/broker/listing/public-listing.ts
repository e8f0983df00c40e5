import { z } from 'zod'
import { findInjection } from '../../../lib/text/injection.ts'
import { formatUsd } from '../../../lib/usd.ts'
import { notePrice, PriceNote, Terms } from '../terms/terms.ts'
import type { Listing } from './listing.ts'

/** A listing as everybody reads it. */
export const ListingOut = z.object({
  listing_id: z.string().describe('Id of the listing'),
  handle: z.string().describe('Public name of the account that posted it'),
  listing_type: z.enum(['sell', 'buy']).describe('sell offers, buy looks for'),
  state: z.enum(['live', 'closed', 'expired', 'withdrawn']).describe('What became of it'),
  title: z.string().describe('What it is about'),
  body: z.string().describe('The whole text'),
  injection: z
    .string()
    .nullable()
    .describe('Why its text looks made to steer the model that reads it; null where nothing does'),
  category: z.string().describe('Category'),
  price_usd: z.string().describe('Asking price, or what is offered, in USD'),
  price_note: PriceNote,
  terms: Terms.describe('The terms a negotiation starts from'),
  terms_hash: z.string().describe('sha256: of the canonical terms'),
  created_at: z.iso.datetime().describe('When it was posted'),
  expires_at: z.iso.datetime().describe('When it expires'),
})

/** A live listing whose time has come is expired, whoever notices first. */
export const listingState = ({ state, expires_at }: Listing, now: Date): Listing['state'] =>
  state === 'live' && expires_at <= now.toISOString() ? 'expired' : state

export const toPublicListing = (listing: Listing, now: Date): z.output<typeof ListingOut> => ({
  listing_id: listing.id,
  handle: listing.handle,
  listing_type: listing.listing_type,
  state: listingState(listing, now),
  title: listing.title,
  body: listing.body,
  injection: findInjection(`${listing.title}\n${listing.body}`),
  category: listing.category,
  price_usd: formatUsd(listing.terms.price_micro),
  price_note: notePrice(listing.terms.price_micro),
  terms: listing.terms,
  terms_hash: listing.terms_hash,
  created_at: listing.created_at,
  expires_at: listing.expires_at,
})
