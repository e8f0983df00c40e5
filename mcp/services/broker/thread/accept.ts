import { ToolError } from '../../../kernel/error.ts'
import { inHours, waits } from './move.ts'
import { requireTurn } from './own.ts'
import { lastOffer } from './public-thread.ts'
import type { Side, Thread } from './thread.ts'

/** Throws 409 `stale_terms` when the hash is not that of the standing offer. */
export const requireStanding = (thread: Thread, terms_hash: string): void => {
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
