import type { Tx } from '../../../ports/store/port.ts'
import type { Deal, DealRating } from '../deal/deal.ts'
import { otherSide, type Side } from '../thread/thread.ts'
import {
  type Facet,
  type FacetName,
  loadReputation,
  type PeerRating,
  pairId,
  pairsIn,
  reputationsIn,
  standingsIn,
} from './reputation.ts'

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
