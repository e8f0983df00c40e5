import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { untrustedMark } from '../../../lib/untrusted.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Account } from '../account/account.ts'
import { notePrice, PriceNote, Terms } from '../terms/terms.ts'
import { otherSide, type Side } from '../thread/thread.ts'
import { type Deal, dealsIn, type Reveal } from './deal.ts'
import { signCredential } from './receipt.ts'

const text = (what: string) => z.string().nullable().describe(what)

const RatingOut = z.object({
  score: z.number().int().min(1).max(5).describe('1 to 5'),
  delivered: z.boolean().nullable().describe('Whether it was delivered; null: not said'),
  rated_at: z.iso.datetime().describe('When'),
})

const sides = <T extends z.ZodType>(inner: T, what: string) =>
  z
    .object({
      yours: inner.nullable().describe('By you'),
      theirs: inner.nullable().describe('By the other side'),
    })
    .describe(what)

/** A deal as one of its sides reads it. */
export const DealOut = z.object({
  deal_id: z.string().describe('Id of the deal'),
  listing_id: z.string().describe('The listing'),
  thread_id: z.string().describe('The negotiation'),
  role: z.enum(['poster', 'negotiator']).describe('Your side'),
  you_are: z.enum(['seller', 'buyer']).describe('Whether you sell or buy'),
  state: z.enum(['active', 'purged']).describe('purged: terms and contacts are gone'),
  price_usd: text('Agreed price in USD'),
  price_note: PriceNote,
  terms: Terms.nullable().describe('What was agreed; null once purged, and where only get_deal tells it'),
  terms_hash: z.string().describe('sha256: of the canonical terms'),
  fee_credits: z.number().int().describe('What you paid for the sealing, in credits'),
  receipt: z
    .string()
    .describe('Compact JWS (EdDSA) over hash, parties, fees and time; keys at /.well-known/jwks.json'),
  credential: text('Compact JWS to present to the other side; null where reveal is'),
  reveal: z
    .object({
      handle: z.string().describe("The other side's public name"),
      contact_name: z.string().describe('Who to speak to'),
      contact_email: z.string().describe('Address of that contact'),
      contact_url: text('Page of that contact'),
      deal_route: z.string().describe('Where to call the other side'),
      route_protocol_binding: text('What answers there'),
      agent_card_url: text('Its agent card'),
    })
    .nullable()
    .describe(
      'The other side; null once purged, in a dry run, and when an x402 payment came with the call: then ask get_deal',
    ),
  sealed_at: z.iso.datetime().describe('When it was sealed'),
  purge_at: z.iso.datetime().describe('When terms and contacts are purged'),
  ratings: sides(RatingOut, 'Ratings'),
  disputes: sides(
    z.object({
      statement: z.string().describe('What was stated'),
      stated_at: z.iso.datetime().describe('When'),
    }),
    'Disputes, recorded and not judged',
  ),
  untrusted: untrustedMark,
})

type DealShown = z.output<typeof DealOut>

/** A deal without what is purged: for answers that reveal nothing, or that are kept for longer. */
export const bare = (deal: DealShown): DealShown => ({
  ...deal,
  price_usd: null,
  price_note: null,
  terms: null,
  credential: null,
  reveal: null,
})

/** Answer to a rating or dispute: nothing of what is purged, since a repeated call finds it a day later. */
export const JudgedOut = DealOut.omit({
  price_usd: true,
  price_note: true,
  terms: true,
  credential: true,
  reveal: true,
})

const sideInDeal = (deal: Deal, account: string): Side | undefined => {
  if (deal.poster === account) return 'poster'
  return deal.negotiator === account ? 'negotiator' : undefined
}

/** Each side sees the other's handle in what is revealed to it. */
const toHandles = (reveals: Record<Side, Reveal>, role: Side) => ({
  from: reveals[otherSide(role)].handle,
  to: reveals[role].handle,
})

/** A deal whose time has come is purged, whoever notices first. */
export const isPurged = ({ purged, purge_at }: Deal, now: Date): boolean =>
  purged || purge_at <= now.toISOString()

export const toPublicDeal = (
  sign: Ports['sign'],
  issuer: string,
  deal: Deal,
  role: Side,
  now: Date,
): DealShown => {
  const other = otherSide(role)
  const whole: DealShown = {
    deal_id: deal.id,
    listing_id: deal.listing,
    thread_id: deal.thread,
    role,
    you_are: deal.seller === role ? 'seller' : 'buyer',
    state: isPurged(deal, now) ? 'purged' : 'active',
    price_usd: deal.terms && formatUsd(deal.terms.price_micro),
    price_note: deal.terms && notePrice(deal.terms.price_micro, true),
    terms: deal.terms,
    terms_hash: deal.terms_hash,
    fee_credits: deal.fee_credits[role],
    receipt: deal.receipt,
    credential: deal.reveals && signCredential(sign, issuer, deal, toHandles(deal.reveals, role)),
    reveal: deal.reveals?.[role] ?? null,
    sealed_at: deal.sealed_at,
    purge_at: deal.purge_at,
    ratings: { yours: deal.ratings[role], theirs: deal.ratings[other] },
    disputes: { yours: deal.disputes[role], theirs: deal.disputes[other] },
    untrusted: true,
  }
  return isPurged(deal, now) ? bare(whole) : whole
}

/** A deal and which side of it the account is. Another party's deal is as unknown as one that never was. */
export const ownDeal = async (
  tx: Tx,
  id: string,
  { id: account }: Account,
): Promise<{ deal: Deal; role: Side }> => {
  const deal = await dealsIn(tx).get(id)
  const role = deal && sideInDeal(deal, account)
  if (deal && role) return { deal, role }
  throw new ToolError('not_found', 'You have no such deal.')
}
