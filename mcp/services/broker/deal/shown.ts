import { z } from 'zod'
import type { Ports } from '../../../ports/index.ts'
import { untrusted } from '../listing/shown.ts'
import { dollarsOf, Terms } from '../terms/terms.ts'
import { otherSide, type Side } from '../thread/thread.ts'
import type { Deal } from './deal.ts'
import { credentialOf } from './receipt.ts'

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
  terms: Terms.nullable().describe('What was agreed; null once purged'),
  terms_hash: z.string().describe('sha256: of the canonical terms'),
  fee_credits: z.number().int().describe('What you paid for the sealing, in credits'),
  receipt: z
    .string()
    .describe('Compact JWS (EdDSA) over hash, parties, fees and time; keys at /.well-known/jwks.json'),
  credential: text('Compact JWS to present to the other side; null once purged'),
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
    .describe('The other side; null once purged. From here on the broker has no part in it'),
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
  untrusted,
})

export const roleIn = (deal: Deal, account: string): Side | undefined => {
  if (deal.poster === account) return 'poster'
  return deal.negotiator === account ? 'negotiator' : undefined
}

const handlesOf = (deal: Deal, role: Side) => ({
  from: deal.reveals?.[otherSide(role)].handle ?? '',
  to: deal.reveals?.[role].handle ?? '',
})

export const shown = (
  sign: Ports['sign'],
  issuer: string,
  deal: Deal,
  role: Side,
): z.output<typeof DealOut> => {
  const other = otherSide(role)
  return {
    deal_id: deal.id,
    listing_id: deal.listing,
    thread_id: deal.thread,
    role,
    you_are: deal.seller === role ? 'seller' : 'buyer',
    state: deal.purged ? 'purged' : 'active',
    price_usd: deal.terms && dollarsOf(deal.terms.price_micro),
    terms: deal.terms,
    terms_hash: deal.terms_hash,
    fee_credits: deal.fee_credits[role],
    receipt: deal.receipt,
    credential: deal.purged ? null : credentialOf(sign, issuer, deal, handlesOf(deal, role)),
    reveal: deal.reveals?.[role] ?? null,
    sealed_at: deal.sealed_at,
    purge_at: deal.purge_at,
    ratings: { yours: deal.ratings[role], theirs: deal.ratings[other] },
    disputes: { yours: deal.disputes[role], theirs: deal.disputes[other] },
    untrusted: true,
  }
}
