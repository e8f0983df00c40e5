import { z } from 'zod'
import { nextCursor, pageInput } from '../../../lib/paging.ts'
import { untrustedMark } from '../../../lib/untrusted.ts'
import { formatUsd } from '../../../lib/usd.ts'
import { notePrice, PriceNote, Terms } from '../terms/terms.ts'
import { type Offer, otherSide, type Side, type Thread } from './thread.ts'

const side = (what: string) => z.enum(['poster', 'negotiator']).describe(what)

const OfferOut = z.object({
  version: z.number().int().describe('1 is the first'),
  by: side('Who made it'),
  state: z.enum(['standing', 'superseded', 'accepted', 'expired']).describe('What became of it'),
  price_usd: z.string().describe('Price in USD'),
  price_note: PriceNote,
  terms: Terms.describe('The whole terms'),
  terms_hash: z.string().describe('What an acceptance quotes'),
  text: z.string().nullable().describe('What was written with it'),
  made_at: z.iso.datetime().describe('When it was made'),
  expires_at: z.iso
    .datetime()
    .nullable()
    .describe('Until when it can be accepted; null: as long as the thread'),
})

/** A negotiation as its two sides read it. */
export const ThreadOut = z.object({
  thread_id: z.string().describe('Id of the negotiation'),
  listing_id: z.string().describe('The listing it is about'),
  role: side('Your side'),
  counterparty: z.string().describe('Public name of the other side; get_reputation tells more'),
  state: z
    .enum(['open', 'accepted', 'finalized', 'rejected', 'closed', 'expired'])
    .describe('accepted waits to be sealed'),
  turn: side('Who moves next'),
  your_turn: z.boolean().describe('True when you move next'),
  standing: OfferOut.describe('The offer that stands'),
  offers: z.array(OfferOut).describe('All offers, the first one first'),
  offer_count: z.number().int().describe('Number of offers'),
  accepted_by: z.enum(['poster', 'negotiator']).nullable().describe('Who accepted the standing offer'),
  fee_on_hold: z.boolean().describe("Whether the negotiator's fee is on hold for it"),
  deal_id: z.string().nullable().describe('The sealed deal'),
  created_at: z.iso.datetime().describe('When it was opened'),
  expires_at: z.iso.datetime().describe('When it ends unless somebody moves'),
  untrusted: untrustedMark,
})

/** True when a thread can still lead to a deal at `now`. */
export const isUnderWay = ({ state, expires_at }: Thread, now: Date): boolean =>
  (state === 'open' || state === 'accepted') && expires_at > now.toISOString()

/** A thread whose time has come is expired, whoever notices first. */
export const threadState = (thread: Thread, now: Date): Thread['state'] =>
  (thread.state === 'open' || thread.state === 'accepted') && !isUnderWay(thread, now)
    ? 'expired'
    : thread.state

/** The last offer of a thread; there is always one. */
export const lastOffer = ({ offers }: Thread): Offer => {
  const last = offers.at(-1)
  if (!last) throw new Error('a thread without an offer')
  return last
}

const offerState = (thread: Thread, offer: Offer, now: Date) => {
  if (offer !== lastOffer(thread)) return 'superseded' as const
  if (thread.accepted_by !== null) return 'accepted' as const
  return offer.expires_at !== null && offer.expires_at <= now.toISOString()
    ? ('expired' as const)
    : ('standing' as const)
}

export const toPublicThread = (thread: Thread, role: Side, now: Date): z.output<typeof ThreadOut> => {
  const offers = thread.offers.map(offer => ({
    ...offer,
    state: offerState(thread, offer, now),
    price_usd: formatUsd(offer.terms.price_micro),
    price_note: notePrice(offer.terms.price_micro),
  }))
  const state = threadState(thread, now)
  const standing = offers.at(-1)
  if (!standing) throw new Error('a thread without an offer')
  return {
    thread_id: thread.id,
    listing_id: thread.listing,
    role,
    counterparty: thread.handles[otherSide(role)],
    state,
    turn: thread.turn,
    your_turn: isUnderWay(thread, now) && thread.turn === role,
    standing,
    offers,
    offer_count: offers.length,
    accepted_by: thread.accepted_by,
    fee_on_hold: isUnderWay(thread, now),
    deal_id: thread.deal,
    created_at: thread.created_at,
    expires_at: thread.expires_at,
    untrusted: true,
  }
}

export const ThreadPageInput = {
  ...pageInput('Threads'),
}

export const ThreadPage = z.object({
  threads: z.array(ThreadOut).describe('The threads, the newest first'),
  count: z.number().int().describe('Threads on this page'),
  next: nextCursor,
})
