import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { dayMs } from '../../lib/time.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { Account } from './account.ts'
import { type Deal, type DealRating, type Link, links } from './deal.ts'
import { otherSide, type Side } from './thread.ts'

/** Record of an account on one side of the market; counts only, so that reading costs nothing. */
type Facet = {
  /** Deals with strangers. */
  completed_deals: number
  /** Different strangers dealt with on this side. */
  partners: number
  /** Ratings that count, one of each counterparty. */
  rated: number
  score_sum: number
  scores: [number, number, number, number, number]
  delivery_said: number
  delivered: number
  disputed: number
  /** Different strangers sold to, by category. */
  categories: Record<string, number>
  /** Exclusions: deals and ratings of linked accounts, and ratings that a later one replaced. */
  linked_deals: number
  linked_ratings: number
  replaced_ratings: number
}

type FacetName = 'seller' | 'buyer'

/** `id` is the account. `links` says what its linked deals were linked by. */
type Reputation = Record<FacetName, Facet> & { id: string; links: Partial<Record<Link, number>> }

/** One pair of strangers that dealt: which categories the account sold to the other, and on which sides it was. */
type Pair = { id: string; account: string; sold?: readonly string[]; sides?: readonly FacetName[] }

/** The rating that one account has of another; `id` is the rated one and the one who rates. */
type PeerRating = Pick<DealRating, 'score' | 'delivered'> & { id: string; facet: FacetName }

const emptyFacet = (): Facet => ({
  completed_deals: 0,
  partners: 0,
  rated: 0,
  score_sum: 0,
  scores: [0, 0, 0, 0, 0],
  delivery_said: 0,
  delivered: 0,
  disputed: 0,
  categories: {},
  linked_deals: 0,
  linked_ratings: 0,
  replaced_ratings: 0,
})

const reputationsIn = collection<Reputation>({
  name: 'broker.reputations',
  bounded: 'One for each account that sealed a deal.',
})

const pairs = { name: 'broker.pairs', indexes: [{ name: 'account', fields: ['account'] }] } as const

const pairsIn = collection<Pair>({
  name: pairs.name,
  indexes: pairs.indexes,
  bounded: 'One for each two accounts with a deal.',
})

const standingsIn = collection<PeerRating>({
  name: 'broker.standing-ratings',
  bounded: 'One for each account that was rated after a deal.',
})

const pairId = (account: string, other: string): string => `${account} ${other}`

/** A facet from before strangers were told from linked accounts has fewer counts. */
const facetFrom = (stored: Partial<Facet> | undefined): Facet => ({
  ...emptyFacet(),
  ...stored,
  partners: stored?.partners ?? stored?.completed_deals ?? 0,
})

/** The counts of an account; zeros for one without deals. */
const loadReputation = async (tx: Tx, account: string): Promise<Reputation> => {
  const stored = await reputationsIn(tx).get(account)
  return {
    id: account,
    seller: facetFrom(stored?.seller),
    buyer: facetFrom(stored?.buyer),
    links: stored?.links ?? {},
  }
}

const facetOn = (deal: Deal, side: Side): FacetName => (deal.seller === side ? 'seller' : 'buyer')

const change = async (
  tx: Tx,
  account: string,
  facet: FacetName,
  next: (facet: Facet) => Facet,
): Promise<void> => {
  const row = await loadReputation(tx, account)
  await reputationsIn(tx).put({ ...row, [facet]: next(row[facet]) })
}

/** A deal of linked accounts: what is told of it is that it does not count, and why. */
const countLinked = async (tx: Tx, deal: Deal, side: Side): Promise<void> => {
  const row = await loadReputation(tx, deal[side])
  const facet = facetOn(deal, side)
  const links = { ...row.links }
  for (const link of deal.links ?? []) links[link] = (links[link] ?? 0) + 1
  const facetCount = { ...row[facet], linked_deals: row[facet].linked_deals + 1 }
  await reputationsIn(tx).put({ ...row, links, [facet]: facetCount })
}

/** A deal of strangers; a capability grows with every new stranger that it was sold to, not with every deal. */
const countStrangers = async (tx: Tx, deal: Deal, side: Side): Promise<void> => {
  const { category } = deal
  const name = facetOn(deal, side)
  const id = pairId(deal[side], deal[otherSide(side)])
  const { sold = [], sides = [], ...pair } = (await pairsIn(tx).get(id)) ?? { id, account: deal[side] }
  const isNewPartner = !sides.includes(name)
  const isNewSale = name === 'seller' && !sold.includes(category)
  await pairsIn(tx).put({
    ...pair,
    sold: isNewSale ? [...sold, category] : sold,
    sides: isNewPartner ? [...sides, name] : sides,
  })
  await change(tx, deal[side], name, facet => ({
    ...facet,
    completed_deals: facet.completed_deals + 1,
    partners: facet.partners + (isNewPartner ? 1 : 0),
    categories: isNewSale
      ? { ...facet.categories, [category]: (facet.categories[category] ?? 0) + 1 }
      : facet.categories,
  }))
}

const isLinked = ({ links = [] }: Deal): boolean => links.length > 0

/** Counts a sealed deal for both sides. */
export const countDeal = async (tx: Tx, deal: Deal): Promise<void> => {
  for (const side of ['poster', 'negotiator'] as const)
    await (isLinked(deal) ? countLinked(tx, deal, side) : countStrangers(tx, deal, side))
}

/** Adds a rating to a facet, or with -1 takes it out again. */
const withRating = (
  facet: Facet,
  { score, delivered }: Pick<PeerRating, 'score' | 'delivered'>,
  by: 1 | -1,
): Facet => ({
  ...facet,
  rated: facet.rated + by,
  score_sum: facet.score_sum + by * score,
  scores: facet.scores.map((count, at) => count + (at === score - 1 ? by : 0)) as Facet['scores'],
  delivery_said: facet.delivery_said + (delivered === null ? 0 : by),
  delivered: facet.delivered + (delivered === true ? by : 0),
})

/** Scores that speak against an account. Who is linked may not praise; that it blames is nobody's gain. */
const maxBlame = 2

/**
 * Counts a rating for the side that was rated: one of each counterparty, the latest. Praise of a linked account is only told
 * as what does not count.
 */
export const countRating = async (
  tx: Tx,
  deal: Deal,
  side: Side,
  { score, delivered }: DealRating,
): Promise<void> => {
  const account = deal[side]
  const facet = facetOn(deal, side)
  if (isLinked(deal) && score > maxBlame)
    return change(tx, account, facet, row => ({ ...row, linked_ratings: row.linked_ratings + 1 }))
  const id = pairId(account, deal[otherSide(side)])
  const before = await standingsIn(tx).get(id)
  if (before)
    await change(tx, account, before.facet, row => ({
      ...withRating(row, before, -1),
      replaced_ratings: row.replaced_ratings + 1,
    }))
  await standingsIn(tx).put({ id, facet, score, delivered })
  await change(tx, account, facet, row => withRating(row, { score, delivered }, 1))
}

/** Counts a dispute against a side, whoever states it: it speaks against an account. */
export const countDispute = (tx: Tx, deal: Deal, side: Side): Promise<void> =>
  change(tx, deal[side], facetOn(deal, side), facet => ({ ...facet, disputed: facet.disputed + 1 }))

/** Rates over fewer ratings than these say more about chance than about anybody. */
const minRatings = 5

/** Different strangers sold to in a category that make it a verified capability. */
const verifiedFrom = 3

const rate = (what: string) =>
  z.number().int().nullable().describe(`${what}; null over fewer than ${minRatings} ratings`)

const FacetOut = z.object({
  completed_deals: z.number().int().describe('Sealed deals with strangers'),
  rated_deals: z.number().int().describe('Ratings that count: the latest of each counterparty'),
  average_rating_hundredths: rate('Average rating, 100 to 500'),
  delivery_rate_bp: rate('Said to be delivered, in basis points'),
  dispute_rate_bp: rate('Disputed deals, in basis points'),
  rating_coverage_bp: z
    .number()
    .int()
    .nullable()
    .describe('Counterparties that rated of all, in basis points; null without deals'),
  score_distribution: z.array(z.number().int()).nullable().describe('Ratings of 1, 2, 3, 4 and 5'),
  rates_suppressed: z.boolean().describe('True when the sample is too small for rates'),
  not_counted: z
    .object({
      linked_deals: z.number().int().describe('Deals with accounts that are linked to this one'),
      linked_ratings: z.number().int().describe('Ratings of 3 to 5 by such accounts'),
      replaced_ratings: z.number().int().describe('Ratings that a later one of the same account replaced'),
    })
    .describe('What makes no reputation'),
})

const linkTexts: Record<Link, string> = {
  address: 'Opened from one network address, and not paid for by a wallet each, or not the first two of it',
  wallet: 'Paid for by one wallet',
  domain: 'One writes from, or points to, the domain of the other',
  route: 'Called at one domain, or one agent card',
  contact: 'One contact',
}

export const ScorecardOut = z.object({
  handle: z.string().describe('Public name of the account'),
  seller: FacetOut.describe('What it did as a seller'),
  buyer: FacetOut.describe('What it did as a buyer'),
  distinct_counterparties: z.number().int().describe('Different strangers it dealt with'),
  linked_by: z
    .object(
      Object.fromEntries(links.map(link => [link, z.number().int().describe(linkTexts[link])])) as Record<
        Link,
        z.ZodNumber
      >,
    )
    .describe('Deals that do not count, by what links their sides; one deal may have several'),
  verified_capabilities: z
    .array(z.string())
    .describe(`Categories sold to at least ${verifiedFrom} different strangers`),
  domain_verified: z
    .boolean()
    .describe('Whether it has proven a domain, which stays hidden until a deal is sealed'),
  tenure_days: z.number().int().describe('Days since registration'),
})

const basisPoints = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part * 10_000) / whole)

const toFacet = (facet: Facet): z.output<typeof FacetOut> => {
  const { completed_deals, rated, score_sum, delivered, delivery_said, disputed, scores } = facet
  const { partners, linked_deals, linked_ratings, replaced_ratings } = facet
  const suppressed = rated < minRatings
  return {
    completed_deals,
    rated_deals: rated,
    average_rating_hundredths: suppressed ? null : Math.round((score_sum * 100) / rated),
    delivery_rate_bp: suppressed ? null : basisPoints(delivered, delivery_said),
    dispute_rate_bp: suppressed ? null : basisPoints(disputed, completed_deals + linked_deals),
    rating_coverage_bp: partners === 0 ? null : Math.min(10_000, Math.round((rated * 10_000) / partners)),
    score_distribution: suppressed ? null : scores,
    rates_suppressed: suppressed,
    not_counted: { linked_deals, linked_ratings, replaced_ratings },
  }
}

/** The scorecard of an account, without what small samples would give away. */
export const loadScorecard = async (
  tx: Tx,
  clock: Clock,
  { id, handle, granted_domain, created_at }: Account,
): Promise<z.output<typeof ScorecardOut>> => {
  const [row, partners] = await Promise.all([
    loadReputation(tx, id),
    pairsIn(tx).count({ index: 'account', where: { account: id } }),
  ])
  return {
    handle,
    seller: toFacet(row.seller),
    buyer: toFacet(row.buyer),
    distinct_counterparties: partners,
    linked_by: Object.fromEntries(links.map(link => [link, row.links[link] ?? 0])) as Record<Link, number>,
    verified_capabilities: Object.entries(row.seller.categories)
      .filter(([, strangers]) => strangers >= verifiedFrom)
      .map(([category]) => category)
      .sort(),
    domain_verified: granted_domain !== null,
    tenure_days: Math.max(0, Math.floor((clock.now().getTime() - Date.parse(created_at)) / dayMs)),
  }
}
