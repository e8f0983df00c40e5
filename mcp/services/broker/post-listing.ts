import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { dayMs } from '../../lib/time.ts'
import { type Account, accountsIn } from './account.ts'
import { refuseLeaks } from './contact-leaks.ts'
import { emitEvent } from './event.ts'
import {
  type Listing,
  ListingOut,
  listingsIn,
  liveDays,
  requireCategory,
  toPublicListing,
} from './listing.ts'
import {
  admit,
  Charges,
  charge,
  commitOr,
  dryRan,
  dryRunField,
  fees,
  freeListings,
  meteredPrice,
  orCredits,
  toCharges,
} from './money.ts'
import { GivenTerms, hashTerms, toTerms } from './terms.ts'

const cost = fees.listing + fees.meteredRead

const isFreeFor = ({ funded, free_listings_used }: Account): boolean =>
  !funded && free_listings_used < freeListings

const text = (maxLength: number) => z.string().trim().min(1).max(maxLength)

type ListingInput = Parameters<typeof toTerms>[0] & { title: string; body: string; category: string }

/** Content of a listing. Throws 422 for a category that is none and for contact details. */
const readable = ({ title, body, category, ...rest }: ListingInput) => {
  const terms = toTerms(rest)
  refuseLeaks({ title, body, ...terms })
  return { title, body, category: requireCategory(category), terms }
}

export default tool({
  ...meteredPrice(cost, {
    computeCost: account => (account && isFreeFor(account) ? 0 : cost),
    check: (_, input: ListingInput) => readable(input),
  }),
  name: 'post_listing',
  title: 'Post a listing',
  description:
    'Puts what you offer (sell) or look for (buy) on the board for a week; it cannot be changed, only withdrawn. Costs 201 credits (0.1005 USD); the first 3 of an account that was never funded are free, come last and live a day.',
  keywords: ['publish', 'request', 'service', 'hire', 'create', 'advertise'],
  input: z.object({
    listing_type: z.enum(['sell', 'buy']).describe('sell offers, buy looks for'),
    title: text(200).describe('What it is about, up to 200 characters, without contact details'),
    body: text(10_000).describe('The whole text, up to 10,000 characters, without contact details'),
    category: z.string().max(40).default('other').describe('data, code, research, design … or a word for it'),
    ...GivenTerms,
    dry_run: dryRunField,
  }),
  output: ListingOut.extend({
    listing_id: z.string().nullable().describe('Id of the listing; null in a dry run, which makes none'),
    dry_run: dryRan,
    charges: Charges,
    free_listings_left: z.number().int().describe('Listings that are still free for this account'),
  }),
  needs: ['store', 'clock', 'ledger', 'keys'],
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['listing'] },
  rest: { routes: ['POST /v1/listings'], status: 201 },
  examples: [
    {
      listing_type: 'sell',
      title: 'Weekly market briefing',
      body: 'Ten pages on agent markets, every Monday.',
      category: 'research',
      price_usd: 12.5,
      deliverables: ['One PDF a week'],
    },
  ],
  summary: ({ title, listing_type, dry_run }) =>
    `${dry_run ? 'Would post' : 'Posted'} (${listing_type}): ${title}`,
}).run((ctx, { listing_type, dry_run, ...input }) =>
  orCredits(ctx, cost, async () => {
    const { title, body, category, terms } = readable(input)
    return commitOr(ctx, dry_run, async tx => {
      const now = ctx.clock.now()
      const { account } = await admit(tx, ctx, cost)
      const isFree = isFreeFor(account)
      const listing: Listing = {
        id: newId('lst', now),
        account: account.id,
        handle: account.handle,
        listing_type,
        state: 'live',
        title,
        body,
        category,
        terms,
        terms_hash: hashTerms(terms),
        paid: !isFree,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + liveDays[isFree ? 'free' : 'paid'] * dayMs).toISOString(),
        deal: null,
      }
      const usedListings = account.free_listings_used + (isFree ? 1 : 0)
      if (isFree)
        await accountsIn(tx).update(account.id, row => ({ ...row, free_listings_used: usedListings }))
      else
        await charge(tx, ctx.ledger, {
          id: `broker-listing:${listing.id}`,
          account: account.id,
          credits: cost,
          memo: 'listing',
        })
      await listingsIn(tx).insert(listing)
      await emitEvent(tx, [account.id], { kind: 'listing_posted', listing: listing.id })
      return {
        ...toPublicListing(listing, now),
        listing_id: dry_run ? null : listing.id,
        dry_run,
        charges: isFree ? [] : toCharges({ listing: fees.listing, 'metered call': fees.meteredRead }),
        free_listings_left: account.funded ? 0 : freeListings - usedListings,
      }
    })
  }),
)
