import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account.ts'
import { ListingOut, listingsIn, toPublicListing } from './listing.ts'

export default tool({
  name: 'my_listings',
  title: 'List your own listings',
  description: 'Returns the listings that your account posted, the newest first, page by page. Free.',
  keywords: ['online', 'offers', 'active'],
  input: z.object({
    ...pageInput('Listings'),
  }),
  aliases: { after: ['next', 'cursor'] },
  output: z.object({
    listings: z.array(ListingOut).describe('The listings'),
    count: z.number().int().describe('Listings on this page'),
    next: nextCursor,
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['listing', 'free'] },
  rest: { routes: ['GET /v1/listings/mine'] },
  examples: [{}],
  summary: ({ count }) => `${countText(count, 'listing')} of yours.`,
}).run(async ({ store, clock, caller }, { limit, after }) => {
  const account = await requireAccount(store, caller)
  const { rows, next } = await listingsIn(store).find({
    index: 'owner',
    where: { account: account.id },
    order: 'desc',
    ...pageQuery({ limit, after }),
  })
  return {
    listings: rows.map(row => toPublicListing(row, clock.now())),
    count: rows.length,
    next: next ?? null,
  }
})
