import { z } from 'zod'
import { dayMs } from '../../../lib/time.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Account } from '../account/account.ts'
import { type Link, links } from './link.ts'
import { type Facet, loadReputation, pairsIn } from './reputation.ts'

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
