import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { areOfOnePerson } from '../../kernel/person.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Account, accountsIn, hasPaid, keyPrefix, sharesWallet } from './account.ts'
import { registrable } from './domain.ts'
import { notePrice, PriceNote, Terms } from './terms.ts'
import { otherSide, type Side } from './thread.ts'

/** Facts one side learns of the other when the deal is sealed. */
export type Reveal = {
  handle: string
  contact_name: string
  contact_email: string
  contact_url: string | null
  deal_route: string
  route_protocol_binding: string | null
  agent_card_url: string | null
}

export type DealRating = { score: 1 | 2 | 3 | 4 | 5; delivered: boolean | null; rated_at: string }

type DealDispute = { statement: string; stated_at: string }

/** A sealed deal. Contacts, routes and terms are purged after 7 days; hash, receipt, ratings and disputes stay. */
export type Deal = {
  /** `deal_…` */
  id: string
  listing: string
  thread: string
  poster: string
  negotiator: string
  /** Which side sells. */
  seller: Side
  category: string
  /** Links of its sides when it was sealed; such a deal makes no reputation. Left out of older deals. */
  links?: readonly Link[]
  terms: Terms | null
  terms_hash: string
  fee_credits: { poster: number; negotiator: number }
  /** Facts each side may see of the other; null once purged. */
  reveals: Record<Side, Reveal> | null
  /** Compact JWS (EdDSA) over terms hash, parties, fees and time. */
  receipt: string
  sealed_at: string
  purge_at: string
  purged: boolean
  ratings: Record<Side, DealRating | null>
  disputes: Record<Side, DealDispute | null>
}

export const dealsIn = collection<Deal>({
  name: 'broker.deals',
  indexes: [
    { name: 'poster', fields: ['poster', 'sealed_at'] },
    { name: 'negotiator', fields: ['negotiator', 'sealed_at'] },
    { name: 'purge', fields: ['purged', 'purge_at'] },
  ],
  archive: { afterHours: 24 },
  bounded: 'Both sides paid for it.',
})

/** Facts that two accounts may share and strangers do not. */
export const links = ['address', 'wallet', 'domain', 'route', 'contact'] as const

export type Link = (typeof links)[number]

/** An e-mail address as it is compared: without case, and without what follows a plus sign. */
const mailbox = (email: string | null): string | null =>
  email?.toLowerCase().replace(/\+[^@]*(?=@)/, '') ?? null

const mailDomain = (email: string | null): string | undefined =>
  email === null ? undefined : registrable(email.slice(email.lastIndexOf('@') + 1).toLowerCase())

const registrableSite = (url: string | null): string | undefined =>
  url === null ? undefined : registrable(new URL(url).hostname)

/** Domains that an account has proven or is called at. */
const ownDomains = ({ granted_domain, deal_route }: Account): (string | undefined)[] => [
  granted_domain ?? undefined,
  registrableSite(deal_route),
]

const same = (one: string | null | undefined, other: string | null | undefined): boolean =>
  one !== null && one !== undefined && one === other

/** True when one account writes from, or points to, a domain that the other has proven or is called at. */
const pointsTo = (one: Account, other: Account): boolean => {
  const domains = ownDomains(other)
  const pointers = [
    one.granted_domain ?? undefined,
    mailDomain(one.contact_email),
    registrableSite(one.contact_url),
    registrableSite(one.agent_card_url),
  ]
  return pointers.some(name => name !== undefined && domains.includes(name))
}

const areFreeFor = (one: Account, other: Account): boolean =>
  (one.neighbour ?? other.id) === other.id && (other.neighbour ?? one.id) === one.id

/**
 * True when two accounts of one network address may be strangers all the same, as behind a NAT or in a hosted client: some wallet has paid
 * for each. Such a one counts with one neighbour, so that a ring behind one address gains one counterparty at most.
 */
const arePaidNeighbours = async (tx: Tx, one: Account, other: Account): Promise<boolean> =>
  areFreeFor(one, other) && (await hasPaid(tx, one.id)) && (await hasPaid(tx, other.id))

/** Remembers that the deals of two accounts of one network address count. */
export const noteNeighbours = async (tx: Tx, one: Account, other: Account): Promise<void> => {
  if (!same(one.origin, other.origin)) return
  await accountsIn(tx).update(one.id, account => ({ ...account, neighbour: other.id }))
  await accountsIn(tx).update(other.id, account => ({ ...account, neighbour: one.id }))
}

/**
 * What links two accounts: opened from one network address (where not each is paid for, or another one of that address counts already),
 * paid by one wallet or of one person, at one domain, called at one place, or one contact. Empty for strangers. It errs towards a link,
 * which takes a deal out of reputation and nothing else.
 */
export const linksBetween = async (tx: Tx, one: Account, other: Account): Promise<Link[]> => {
  const sameness: Record<Link, boolean> = {
    address: same(one.origin, other.origin) && !(await arePaidNeighbours(tx, one, other)),
    wallet:
      same(one.wallet, other.wallet) ||
      (await sharesWallet(tx, one.id, other.id)) ||
      (await areOfOnePerson(tx, keyPrefix, one.id, other.id)),
    domain: pointsTo(one, other) || pointsTo(other, one),
    route:
      same(registrableSite(one.deal_route), registrableSite(other.deal_route)) ||
      same(one.agent_card_url, other.agent_card_url),
    contact:
      same(mailbox(one.contact_email), mailbox(other.contact_email)) ||
      same(one.contact_url, other.contact_url),
  }
  return links.filter(link => sameness[link])
}

type SealedDeal = Pick<Deal, 'id' | 'listing' | 'terms_hash' | 'seller' | 'fee_credits' | 'sealed_at'> & {
  handles: Record<Side, string>
}

/**
 * The receipt of a sealed deal: a compact JWS (EdDSA) that anybody verifies offline against the published keys. It holds the
 * hash of the terms and not their price, so that only who has the terms can show what they were.
 */
export const signReceipt = (sign: Ports['sign'], issuer: string, deal: SealedDeal): string =>
  sign.jws(
    {
      iss: issuer,
      deal_id: deal.id,
      listing_id: deal.listing,
      terms_hash: deal.terms_hash,
      poster: deal.handles.poster,
      negotiator: deal.handles.negotiator,
      seller: deal.handles[deal.seller],
      fee_credits: deal.fee_credits,
      sealed_at: deal.sealed_at,
      iat: Math.floor(Date.parse(deal.sealed_at) / 1000),
    },
    'deal-receipt+jwt',
  )

type CredentialFacts = Pick<Deal, 'id' | 'terms_hash' | 'sealed_at' | 'purge_at'>

/**
 * What one side presents to the other to show that it is the other party of the deal: a compact JWS (EdDSA), good until the
 * details are purged.
 */
const signCredential = (
  sign: Ports['sign'],
  issuer: string,
  { id, terms_hash, sealed_at, purge_at }: CredentialFacts,
  { from, to }: { from: string; to: string },
): string =>
  sign.jws(
    {
      iss: issuer,
      sub: from,
      aud: to,
      deal_id: id,
      terms_hash,
      iat: Math.floor(Date.parse(sealed_at) / 1000),
      exp: Math.floor(Date.parse(purge_at) / 1000),
    },
    'deal-credential+jwt',
  )

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
