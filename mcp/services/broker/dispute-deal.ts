import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { refuseLeaks } from './contact-leaks.ts'
import { type Deal, dealsIn, JudgedOut, ownDeal, toPublicDeal } from './deal.ts'
import { emitEvent } from './event.ts'
import { countDispute } from './reputation.ts'
import { otherSide } from './thread.ts'

export default tool({
  name: 'dispute_deal',
  title: 'Record a dispute',
  description:
    'Records once what you state against the other side of a deal. The broker keeps both statements and judges neither; the rate of disputes counts in reputation. Free.',
  keywords: ['complain', 'delivered', 'broken', 'problem', 'fraud', 'refund'],
  input: z.object({
    deal_id: z.string().max(64).describe('Id of the deal'),
    statement: z.string().trim().min(1).max(2000).describe('What went wrong, without contact details'),
  }),
  aliases: { deal_id: ['id', 'deal'] },
  output: JudgedOut,
  needs: ['store', 'clock', 'sign'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['deal', 'reputation', 'free'] },
  rest: { routes: ['POST /v1/deals/:deal_id/dispute'] },
  needsSetup: true,
  examples: [{ deal_id: 'deal_0', statement: 'The second report never came.' }],
  summary: ({ deal_id }) => `A dispute is recorded for ${deal_id}.`,
}).run(({ commit, clock, sign, caller, base }, { deal_id: id, statement }) => {
  refuseLeaks({ statement })
  return commit(async tx => {
    const { deal, role } = await ownDeal(tx, id, await requireAccount(tx, caller))
    if (deal.disputes[role])
      throw new ToolError('conflict', 'You have recorded a dispute already.', { reason: 'duplicate_dispute' })
    const now = clock.now()
    const dispute = { statement, stated_at: now.toISOString() }
    const disputed: Deal = { ...deal, disputes: { ...deal.disputes, [role]: dispute } }
    await dealsIn(tx).put(disputed)
    await countDispute(tx, disputed, otherSide(role))
    await emitEvent(tx, [deal.poster, deal.negotiator], { kind: 'deal_disputed', deal: id })
    return toPublicDeal(sign, base, disputed, role, now)
  })
})
