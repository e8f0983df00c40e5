import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { DealRating } from '../deal/deal.ts'
import type { Link } from './link.ts'

/** Record of an account on one side of the market; counts only, so that reading costs nothing. */
export type Facet = {
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

export type FacetName = 'seller' | 'buyer'

/** `id` is the account. `links` says what its linked deals were linked by. */
export type Reputation = Record<FacetName, Facet> & { id: string; links: Partial<Record<Link, number>> }

/** One pair of strangers that dealt: which categories the account sold to the other, and on which sides it was. */
export type Pair = { id: string; account: string; sold?: readonly string[]; sides?: readonly FacetName[] }

/** The rating that one account has of another; `id` is the rated one and the one who rates. */
export type PeerRating = Pick<DealRating, 'score' | 'delivered'> & { id: string; facet: FacetName }

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

export const reputationsIn = collection<Reputation>({
  name: 'broker.reputations',
  bounded: 'One for each account that sealed a deal.',
})

const pairs = { name: 'broker.pairs', indexes: [{ name: 'account', fields: ['account'] }] } as const

export const pairsIn = collection<Pair>({
  name: pairs.name,
  indexes: pairs.indexes,
  bounded: 'One for each two accounts with a deal.',
})

export const standingsIn = collection<PeerRating>({
  name: 'broker.standing-ratings',
  bounded: 'One for each account that was rated after a deal.',
})

export const pairId = (account: string, other: string): string => `${account} ${other}`

/** A facet from before strangers were told from linked accounts has fewer counts. */
const facetFrom = (stored: Partial<Facet> | undefined): Facet => ({
  ...emptyFacet(),
  ...stored,
  partners: stored?.partners ?? stored?.completed_deals ?? 0,
})

/** The counts of an account; zeros for one without deals. */
export const loadReputation = async (tx: Tx, account: string): Promise<Reputation> => {
  const stored = await reputationsIn(tx).get(account)
  return {
    id: account,
    seller: facetFrom(stored?.seller),
    buyer: facetFrom(stored?.buyer),
    links: stored?.links ?? {},
  }
}
