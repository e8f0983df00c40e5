import type { Tx } from '../../../ports/index.ts'
import type { Deal, Rating } from '../deal/deal.ts'
import { otherSide, type Side } from '../thread/thread.ts'
import { type Facet, pairsIn, reputationOf, reputationsIn } from './reputation.ts'

const change = async (tx: Tx, deal: Deal, side: Side, next: (facet: Facet) => Facet): Promise<void> => {
  const facet = deal.seller === side ? 'seller' : 'buyer'
  const row = await reputationOf(tx, deal[side])
  await reputationsIn(tx).put({ ...row, [facet]: next(row[facet]) })
}

/** Counts a sealed deal for both sides. */
export const countDeal = async (tx: Tx, deal: Deal): Promise<void> => {
  for (const side of ['poster', 'negotiator'] as const) {
    await change(tx, deal, side, facet => ({
      ...facet,
      completed_deals: facet.completed_deals + 1,
      categories: { ...facet.categories, [deal.category]: (facet.categories[deal.category] ?? 0) + 1 },
    }))
    const account = deal[side]
    await pairsIn(tx).put({ id: `${account} ${deal[otherSide(side)]}`, account })
  }
}

/** Counts a rating for the side that was rated. */
export const countRating = (tx: Tx, deal: Deal, side: Side, { score, delivered }: Rating): Promise<void> =>
  change(tx, deal, side, facet => ({
    ...facet,
    rated: facet.rated + 1,
    score_sum: facet.score_sum + score,
    scores: facet.scores.map((count, at) => count + (at === score - 1 ? 1 : 0)) as Facet['scores'],
    delivery_said: facet.delivery_said + (delivered === null ? 0 : 1),
    delivered: facet.delivered + (delivered === true ? 1 : 0),
  }))

/** Counts a dispute against a side. */
export const countDispute = (tx: Tx, deal: Deal, side: Side): Promise<void> =>
  change(tx, deal, side, facet => ({ ...facet, disputed: facet.disputed + 1 }))
