import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { dayMs } from '../../lib/time.ts'
import { requireAccount } from './account.ts'
import { type Deal, type DealRating, dealsIn, JudgedOut, ownDeal, toPublicDeal } from './deal.ts'
import { emitEvent } from './event.ts'
import { countRating } from './reputation.ts'
import { otherSide } from './thread.ts'

/** Days after sealing in which a deal may be rated. */
const ratableDays = 37

const tooLate = ({ sealed_at }: Deal, now: Date): boolean =>
  now.getTime() > Date.parse(sealed_at) + ratableDays * dayMs

export default tool({
  name: 'rate_deal',
  title: 'Rate a deal',
  description:
    "Rates the other side of a deal, once, from 1 to 5, and says whether it delivered; possible for 37 days after sealing. It counts in the other side's reputation, the latest of each counterparty, unless the two accounts are linked. Free.",
  keywords: ['five', 'review', 'leave', 'feedback', 'stars', 'score'],
  input: z.object({
    deal_id: z.string().max(64).describe('Id of the deal'),
    score: z.number().int().min(1).max(5).describe('1 (bad) to 5 (good)'),
    delivered: z.boolean().optional().describe('Whether the other side did its part'),
  }),
  aliases: { deal_id: ['id', 'deal'] },
  output: JudgedOut,
  needs: ['store', 'clock', 'sign'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['deal', 'reputation', 'free'] },
  rest: { routes: ['POST /v1/deals/:deal_id/ratings'] },
  needsSetup: true,
  examples: [{ deal_id: 'deal_0', score: 5, delivered: true }],
  summary: ({ ratings }) => `Rated ${ratings.yours?.score}.`,
}).run(({ commit, clock, sign, caller, base }, { deal_id: id, score, delivered = null }) =>
  commit(async tx => {
    const now = clock.now()
    const { deal, role } = await ownDeal(tx, id, await requireAccount(tx, caller))
    if (deal.ratings[role])
      throw new ToolError('conflict', 'You have rated this deal already.', { reason: 'duplicate_rating' })
    if (tooLate(deal, now))
      throw new ToolError('gone', `A deal can be rated for ${ratableDays} days.`, { reason: 'rating_closed' })
    const rating: DealRating = { score: score as DealRating['score'], delivered, rated_at: now.toISOString() }
    const ratedDeal: Deal = { ...deal, ratings: { ...deal.ratings, [role]: rating } }
    await dealsIn(tx).put(ratedDeal)
    await countRating(tx, ratedDeal, otherSide(role), rating)
    await emitEvent(tx, [deal.poster, deal.negotiator], { kind: 'deal_rated', deal: id })
    return toPublicDeal(sign, base, ratedDeal, role, now)
  }),
)
