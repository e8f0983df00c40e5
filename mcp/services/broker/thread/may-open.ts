import { ToolError } from '../../../kernel/error.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn } from '../account/account.ts'
import { requireProfile } from '../account/profile.ts'
import { type Listing, listingsIn } from '../listing/listing.ts'
import { listingState } from '../listing/public-listing.ts'
import { placeId, placesIn, threadsIn } from './thread.ts'

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
export const mayOpen = async (tx: Tx, id: string, account: Account, now: Date): Promise<Listing> => {
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
