import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { emitEvent } from './event.ts'
import { ListingOut, listingState, listingsIn, toPublicListing } from './listing.ts'
import { closeThreads } from './thread.ts'

export default tool({
  name: 'withdraw_listing',
  title: 'Withdraw a listing',
  description:
    'Takes your listing off the board, closes its open negotiations and frees what is on hold for them. The fee of posting is not given back. Free.',
  keywords: ['offline', 'down', 'remove', 'ad'],
  input: z.object({ listing_id: z.string().max(64).describe('Id of your listing') }),
  aliases: { listing_id: ['id', 'listing'] },
  output: ListingOut.extend({
    closed_threads: z.number().int().describe('Negotiations that were closed with it'),
  }),
  needs: ['store', 'clock', 'ledger'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['listing', 'free'] },
  rest: { routes: ['POST /v1/listings/:listing_id/withdraw'] },
  needsSetup: true,
  examples: [{ listing_id: 'lst_0' }],
  summary: ({ title }) => `Withdrawn: ${title}`,
}).run(({ commit, clock, ledger, caller }, { listing_id: id }) =>
  commit(async tx => {
    const account = await requireAccount(tx, caller)
    const listing = await listingsIn(tx).get(id)
    if (listing?.account !== account.id) throw new ToolError('not_found', 'You have no such listing.')
    const state = listingState(listing, clock.now())
    if (state !== 'live')
      throw new ToolError('conflict', `The listing is ${state} already.`, { reason: `listing_${state}` })
    const withdrawn = { ...listing, state: 'withdrawn' as const }
    await listingsIn(tx).put(withdrawn)
    const closed = await closeThreads(tx, ledger, listing.id, 'closed')
    await emitEvent(tx, [account.id], { kind: 'listing_withdrawn', listing: listing.id })
    return { ...toPublicListing(withdrawn, clock.now()), closed_threads: closed }
  }),
)
