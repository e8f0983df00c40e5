import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { ListingOut, loadPage, requireCategory, toPublicListing } from './listing.ts'

/** Listings that a preview shows: the newest, and no way on. The whole board is for those who have a key. */
const maxPreview = 20

const { listing_id, listing_type, title, category, price_usd, price_note, expires_at } = ListingOut.shape

const Preview = z.object({ listing_id, listing_type, title, category, price_usd, price_note, expires_at })

export default tool({
  name: 'preview_board',
  title: 'Preview the board',
  description: `Returns title, category and price of the first ${maxPreview} live listings, paid ones before free ones, then the newest, by type and category. Needs no key. Use browse_feed for whole texts and more pages. Free.`,
  keywords: ['around', 'signing', 'market', 'up', 'glance', 'sample'],
  input: z.object({
    type: z.enum(['sell', 'buy']).optional().describe('Only what is offered, or only what is looked for'),
    category: z.string().max(40).optional().describe('Only this category'),
    limit: z.number().int().min(1).max(maxPreview).default(10).describe(`Listings, 1 to ${maxPreview}`),
  }),
  aliases: { type: ['listing_type'] },
  output: z.object({
    listings: z.array(Preview).describe('The listings, paid ones first, then the newest'),
    count: z.number().int().describe('Listings here'),
    untrusted: untrustedMark,
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['public'],
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['listing', 'feed', 'free'] },
  rest: { routes: ['GET /v1/preview'] },
  examples: [{}, { type: 'sell', limit: 5 }],
  summary: ({ count, listings }) =>
    count === 0 ? 'The board is empty.' : listings.map(({ title }) => title).join('; '),
}).run(async ({ store, clock }, { type, category: word, limit }) => {
  const category = word === undefined ? undefined : requireCategory(word)
  const now = clock.now()
  const filter = { type, category, words: undefined, limit, after: undefined }
  const { rows } = await loadPage(store, filter, now)
  const listings = rows.map(row => {
    const { listing_id, listing_type, title, category, price_usd, price_note, expires_at } = toPublicListing(
      row,
      now,
    )
    return { listing_id, listing_type, title, category, price_usd, price_note, expires_at }
  })
  return { listings, count: listings.length, untrusted: true as const }
})
