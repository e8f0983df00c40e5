import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Account, requireAccount } from './account.ts'
import { emitEvent } from './event.ts'
import { type Listing, listingState, listingsIn } from './listing.ts'
import {
  inHours,
  lastOffer,
  ownThread,
  requireTurn,
  requireUnderWay,
  type Side,
  type Thread,
  ThreadOut,
  threadsIn,
  toPublicThread,
  waits,
} from './thread.ts'

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
const acceptTerms = (thread: Thread, role: Side, terms_hash: string, now: Date): Thread => {
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

export default tool({
  name: 'accept_offer',
  title: 'Accept the standing offer',
  description:
    "Accepts the other side's standing offer by quoting its terms_hash; stale terms are refused. The poster then has 24 hours to seal the deal. Free.",
  keywords: ['agree', 'counterparty', 'price', 'shake', 'hands', 'proposal'],
  input: z.object({
    thread_id: z.string().max(64).describe('Id of the thread'),
    terms_hash: z.string().max(100).describe('Hash of the terms that are accepted'),
  }),
  aliases: { thread_id: ['id', 'thread'] },
  output: ThreadOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['POST /v1/threads/:thread_id/accept'] },
  needsSetup: true,
  examples: [{ thread_id: 'thr_0', terms_hash: `sha256:${'0'.repeat(64)}` }],
  summary: ({ standing }) => `Accepted ${standing.price_usd} USD.`,
}).run(({ commit, clock, caller }, { thread_id: id, terms_hash }) =>
  commit(async tx => {
    const now = clock.now()
    const account = await requireAccount(tx, caller)
    const { thread, role } = await ownThread(tx, id, account)
    requireUnderWay(thread, now)
    const nextThread = acceptTerms(thread, role, terms_hash, now)
    await threadsIn(tx).put(nextThread)
    await emitEvent(tx, [thread.poster, thread.negotiator], {
      kind: 'offer_accepted',
      listing: thread.listing,
      thread: thread.id,
    })
    return toPublicThread(nextThread, role, now)
  }),
)
