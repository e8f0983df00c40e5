import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { DealOut, isPurged, ownDeal, toPublicDeal } from './deal.ts'

export default tool({
  name: 'get_deal',
  title: 'Read a deal',
  description:
    "Returns one of your deals: terms, receipt, and the other side's contact and endpoint for 7 days after sealing. Free.",
  keywords: ['buyer', 'partner', 'details', 'contract', 'delivery', 'seller'],
  input: z.object({ deal_id: z.string().max(64).describe('Id of the deal') }),
  aliases: { deal_id: ['id', 'deal'] },
  output: DealOut,
  needs: ['store', 'clock', 'sign'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['deal', 'free'] },
  rest: { routes: ['GET /v1/deals/:deal_id'] },
  needsSetup: true,
  examples: [{ deal_id: 'deal_0' }],
  summary: ({ deal_id, price_usd }) => `${deal_id}: ${price_usd} USD.`,
}).run(async ({ store, clock, sign, caller, base }, { deal_id: id }) => {
  const { deal, role } = await ownDeal(store, id, await requireAccount(store, caller))
  const now = clock.now()
  if (!isPurged(deal, now)) return toPublicDeal(sign, base, deal, role, now)
  throw new ToolError('gone', 'Terms and contacts of this deal are purged.', {
    reason: 'deal_purged',
    params: { deal_id: id, terms_hash: deal.terms_hash, receipt: deal.receipt },
    hint: 'The receipt still verifies; the list of deals has what is left.',
    next: ['my_deals'],
  })
})
