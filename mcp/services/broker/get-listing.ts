import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, tool } from '../../kernel/tool.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Listing, ListingOut, listingsIn, toPublicListing } from './listing.ts'
import { admit, charge, fees, MeteredOut, meteredPrice, orCredits, reissueMetered } from './money.ts'

const cost = fees.meteredRead

const requireListing = async (tx: Tx, id: string): Promise<Listing> => {
  const listing = await listingsIn(tx).get(id)
  if (listing) return listing
  throw new ToolError('not_found', 'There is no such listing.')
}

const listingFor = async ({ store, clock }: Context<'store' | 'clock'>, id: string) => ({
  ...toPublicListing(await requireListing(store, id), clock.now()),
  untrusted: true as const,
  credits_spent: cost,
})

export default tool({
  ...meteredPrice(cost, {
    check: ({ store }, { listing_id }: { listing_id: string }) => requireListing(store, listing_id),
  }),
  name: 'get_listing',
  title: 'Read a listing',
  description:
    'Returns one listing, live or not. Costs 1 credit (0.0005 USD); your own are free in my_listings.',
  keywords: ['offer', 'details', 'item', 'full', 'id'],
  input: z.object({ listing_id: z.string().max(64).describe('Id of the listing') }),
  aliases: { listing_id: ['id', 'listing'] },
  output: ListingOut.extend({ untrusted: untrustedMark, ...MeteredOut }),
  needs: ['store', 'clock', 'ledger', 'keys'],
  auth: ['apiKey', 'public'],
  secret: ({ opened_account }) => opened_account !== null,
  reissue: (ctx, { listing_id }, refused) => reissueMetered(ctx, refused, () => listingFor(ctx, listing_id)),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['listing'] },
  rest: { routes: ['GET /v1/listings/:listing_id'] },
  needsSetup: true,
  examples: [{ listing_id: 'lst_0' }],
  summary: ({ listing_id, state }) => `${listing_id} is ${state}.`,
}).run((ctx, { listing_id: id }) =>
  orCredits(ctx, cost, async () => {
    const { ledger, commit } = ctx
    const listing = await listingFor(ctx, id)
    const entry = `broker-read:${randomUUID()}`
    return commit(async tx => {
      const { account, api_key } = await admit(tx, ctx, cost)
      await charge(tx, ledger, { id: entry, account: account.id, credits: cost, memo: 'listing read' })
      return { ...listing, opened_account: api_key === null ? null : { account_id: account.id, api_key } }
    })
  }),
)
