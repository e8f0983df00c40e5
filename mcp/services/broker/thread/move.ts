import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { applyPatch, hashTerms, Patch, type Terms } from '../terms/terms.ts'
import { refuseLeaks } from '../text/refuse-leaks.ts'
import type { Offer, Side, Thread } from './thread.ts'

/** Hours that a thread waits for the next move, and for the sealing of what was accepted. */
export const waits = { move: 72, seal: 24 } as const

export const maxOffers = 50

/** Bytes of all offers of a thread together: each is kept whole, and the thread is written anew with each. */
const maxThreadBytes = 256 * 1024

/** Throws 409 `thread_full` where a thread has grown too long to go on. */
export const requireShort = ({ offers }: Pick<Thread, 'offers'>): void => {
  if (Buffer.byteLength(JSON.stringify(offers)) <= maxThreadBytes) return
  throw new ToolError('conflict', `The offers of a thread hold at most ${maxThreadBytes} bytes together.`, {
    reason: 'thread_full',
    hint: 'Send a shorter text or patch, accept the standing offer, or close the thread.',
  })
}

export const inHours = (now: Date, hours: number): string =>
  new Date(now.getTime() + hours * 3_600_000).toISOString()

/** Parts of an offer. */
export const OfferInput = {
  text: z.string().trim().min(1).max(5000).optional().describe('Free text, without contact details'),
  patch: Patch.optional().describe('What changes in the standing terms; null takes a field away'),
  expires_in_hours: z
    .number()
    .int()
    .min(1)
    .max(waits.move)
    .optional()
    .describe('Hours in which it can be accepted, 1 to 72'),
}

/** An offer as it is given. */
export type NewOffer = {
  text?: string | undefined
  patch?: z.output<typeof Patch> | undefined
  expires_in_hours?: number | undefined
}

/** The next offer over standing terms. Throws 422 for one that says nothing or holds contact details. */
export const offerOver = (
  terms: Terms,
  { text, patch, expires_in_hours }: NewOffer,
  { by, version, now }: { by: Side; version: number; now: Date },
): Offer => {
  if (text === undefined && patch === undefined)
    throw new ToolError('invalid_input', 'text: say something, or change the terms with patch.', {
      issues: [{ path: 'text', message: 'text or patch is needed' }],
    })
  const next = applyPatch(terms, patch ?? {})
  refuseLeaks({ ...(text !== undefined && { text }), patch: { ...patch } })
  return {
    version,
    by,
    terms: next,
    terms_hash: hashTerms(next),
    text: text ?? null,
    made_at: now.toISOString(),
    expires_at: expires_in_hours === undefined ? null : inHours(now, expires_in_hours),
  }
}
