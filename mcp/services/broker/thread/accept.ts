import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Account } from '../account/account.ts'
import { type Listing, listingsIn } from '../listing/listing.ts'
import { listingState } from '../listing/public-listing.ts'
import { inHours, waits } from './move.ts'
import { ownThread, requireTurn, requireUnderWay } from './own.ts'
import { lastOffer } from './public-thread.ts'
import type { Side, Thread } from './thread.ts'

/** Throws 409 `stale_terms` when the hash is not that of the standing offer. */
const requireStanding = (thread: Thread, terms_hash: string): void => {
  const standing = lastOffer(thread)
  if (standing.terms_hash === terms_hash) return
  throw new ToolError('conflict', 'Other terms stand now.', {
    reason: 'stale_terms',
    params: { terms_hash: standing.terms_hash, version: standing.version },
    hint: 'Read the thread again, and quote the terms_hash of its standing offer.',
  })
}

/** The thread after one side accepted what the other offered. Throws 409 out of turn, for stale terms, or too late. */
export const acceptTerms = (thread: Thread, role: Side, terms_hash: string, now: Date): Thread => {
  if (thread.state === 'accepted')
    throw new ToolError('conflict', 'The standing offer is accepted already.', { reason: 'already_accepted' })
  requireTurn(thread, role)
  requireStanding(thread, terms_hash)
  const { expires_at } = lastOffer(thread)
  if (expires_at !== null && expires_at <= now.toISOString())
    throw new ToolError('conflict', 'The offer has expired; make a new one.', { reason: 'offer_expired' })
  return {
    ...thread,
    state: 'accepted',
    accepted_by: role,
    turn: 'poster',
    moved_at: now.toISOString(),
    expires_at: inHours(now, waits.seal),
  }
}

type FinalizeInput = { thread_id: string; terms_hash?: string | undefined }

/**
 * The accepted thread and its listing, ready to be sealed by this account. With `terms_hash` the poster accepts the standing
 * offer in the same step. Throws what is in the way; nothing is charged then.
 */
export const loadSealable = async (
  tx: Tx,
  { thread_id: id, terms_hash }: FinalizeInput,
  account: Account,
  now: Date,
): Promise<{ thread: Thread; listing: Listing }> => {
  const { thread, role } = await ownThread(tx, id, account)
  if (role !== 'poster')
    throw new ToolError('forbidden', 'Only the poster of the listing seals the deal.', {
      reason: 'not_the_poster',
    })
  requireUnderWay(thread, now)
  if (thread.state === 'accepted' && terms_hash !== undefined) requireStanding(thread, terms_hash)
  if (thread.state === 'open' && terms_hash === undefined)
    throw new ToolError('conflict', 'Nobody has accepted the standing offer.', {
      reason: 'not_accepted',
      hint: "Send its terms_hash to accept and seal in one step, if it is the other side's offer.",
    })
  const listing = await listingsIn(tx).get(thread.listing)
  if (!listing) throw new ToolError('gone', 'The listing is gone.', { reason: 'listing_gone' })
  const state = listingState(listing, now)
  if (state !== 'live')
    throw new ToolError('gone', `The listing is ${state}.`, {
      reason: `listing_${state}`,
    })
  const ready = thread.state === 'accepted' ? thread : acceptTerms(thread, role, terms_hash ?? '', now)
  return { thread: ready, listing }
}
