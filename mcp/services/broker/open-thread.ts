import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { dayMs } from '../../lib/time.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Account, accountsIn, requireAccount, requireProfile } from './account.ts'
import { emitEvent } from './event.ts'
import { type Listing, listingState, listingsIn } from './listing.ts'
import {
  admit,
  Charges,
  commitOr,
  dryRan,
  dryRunField,
  fees,
  holdFee,
  meteredPrice,
  orCredits,
  spentMeanwhile,
  toCharges,
} from './money.ts'
import {
  inHours,
  type NewOffer,
  OfferInput,
  offerOver,
  placeId,
  placesIn,
  type Thread,
  ThreadOut,
  threadsIn,
  toPublicThread,
  waits,
} from './thread.ts'

/** Threads that an account may open within 24 hours. A hold comes back when a thread ends, so that it bounds nothing. */
export const maxOpenedADay = 100

const requireRoom = async (tx: Tx, negotiator: string, now: Date): Promise<void> => {
  const created_at = { gt: new Date(now.getTime() - dayMs).toISOString() }
  const openedCount = await threadsIn(tx).count({ index: 'negotiator', where: { negotiator, created_at } })
  if (openedCount < maxOpenedADay) return
  throw new ToolError(
    'too_many_requests',
    `This account has opened ${maxOpenedADay} threads within 24 hours. Nothing was held.`,
    { reason: 'threads_of_the_day', retryAfter: 3600, hint: 'Go on with the threads that are open.' },
  )
}

/** The listing that an account may open a thread on. Throws what is in the way; nothing is held then. */
const loadOpenListing = async (tx: Tx, id: string, account: Account, now: Date): Promise<Listing> => {
  const listing = await listingsIn(tx).get(id)
  if (!listing) throw new ToolError('not_found', 'There is no such listing.')
  const state = listingState(listing, now)
  if (state !== 'live')
    throw new ToolError('gone', `The listing is ${state}.`, { reason: `listing_${state}` })
  if (listing.account === account.id)
    throw new ToolError('conflict', 'This is your own listing.', { reason: 'self_listing_negotiation' })
  requireProfile(account, 'self')
  const poster = await accountsIn(tx).get(listing.account)
  if (!poster) throw new ToolError('not_found', 'There is no such listing.')
  requireProfile(poster, 'counterparty')
  const place = await placesIn(tx).get(placeId({ listing: id, negotiator: account.id }))
  if (place)
    throw new ToolError('conflict', 'You have a thread on this listing already.', {
      reason: 'thread_exists',
      params: { thread_id: place.thread },
    })
  await requireRoom(tx, account.id, now)
  return listing
}

export default tool({
  ...meteredPrice(fees.deal, {
    check: async (
      { store, clock, caller },
      { listing_id, ...givenTerms }: NewOffer & { listing_id: string },
    ) => {
      const now = clock.now()
      const { terms } = await loadOpenListing(store, listing_id, await requireAccount(store, caller), now)
      return offerOver(terms, givenTerms, { by: 'negotiator', version: 1, now })
    },
  }),
  name: 'open_thread',
  title: 'Open a negotiation',
  description:
    'Makes the first offer on a listing. Holds 2,000 credits (1.00 USD), the deal fee: taken only when the deal is sealed, freed when it ends otherwise. Both sides need contact and deal route.',
  keywords: ['bid', 'start', 'seller', 'buyer', 'talk', 'begin'],
  input: z.object({
    listing_id: z.string().max(64).describe('Id of the listing'),
    ...OfferInput,
    dry_run: dryRunField,
  }),
  aliases: { listing_id: ['id', 'listing'] },
  output: ThreadOut.extend({
    thread_id: z.string().nullable().describe('Id of the negotiation; null in a dry run, which makes none'),
    dry_run: dryRan,
    holds: Charges,
  }),
  needs: ['store', 'clock', 'ledger', 'keys'],
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['negotiation'] },
  rest: { routes: ['POST /v1/listings/:listing_id/threads'], status: 201 },
  needsSetup: true,
  examples: [{ listing_id: 'lst_0', text: 'I take it as it is.' }],
  summary: ({ listing_id, dry_run }) => `${dry_run ? 'Would open' : 'Opened'} a thread on ${listing_id}.`,
}).run((ctx, { listing_id: id, dry_run, ...givenTerms }) =>
  orCredits(ctx, fees.deal, () =>
    commitOr(ctx, dry_run, async tx => {
      const now = ctx.clock.now()
      const { account } = await admit(tx, ctx, fees.deal)
      const listing = await loadOpenListing(tx, id, account, now)
      const offer = offerOver(listing.terms, givenTerms, { by: 'negotiator', version: 1, now })
      const thread: Thread = {
        id: newId('thr', now),
        listing: listing.id,
        poster: listing.account,
        negotiator: account.id,
        handles: { poster: listing.handle, negotiator: account.handle },
        state: 'open',
        turn: 'poster',
        offers: [offer],
        accepted_by: null,
        hold: '',
        created_at: now.toISOString(),
        moved_at: now.toISOString(),
        expires_at: inHours(now, waits.move),
        deal: null,
      }
      thread.hold = `broker-thread:${thread.id}`
      // The listing's end closes the thread; the hold outlives both, so that it never ends first.
      const until = new Date(Date.parse(listing.expires_at) + 30 * dayMs)
      const hold = { id: thread.hold, account: account.id, credits: fees.deal }
      await holdFee(tx, ctx.ledger, hold, until).catch(error => {
        throw spentMeanwhile(error, fees.deal)
      })
      await placesIn(tx).insert({ id: placeId(thread), thread: thread.id })
      await threadsIn(tx).insert(thread)
      await emitEvent(tx, [thread.poster, thread.negotiator], {
        kind: 'thread_opened',
        listing: listing.id,
        thread: thread.id,
      })
      return {
        ...toPublicThread(thread, 'negotiator', now),
        thread_id: dry_run ? null : thread.id,
        dry_run,
        holds: toCharges({ 'deal fee': fees.deal }),
      }
    }),
  ),
)
