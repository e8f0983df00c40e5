import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account.ts'
import { DealOut, dealsIn, toPublicDeal } from './deal.ts'
import { findBothSides } from './thread.ts'

export default tool({
  name: 'my_deals',
  title: 'List your deals',
  description:
    'Returns your deals on both sides, or on one, the newest first, purged ones with receipt and hash only. Free.',
  keywords: ['contracts', 'sealed', 'made', 'completed', 'history', 'closed'],
  input: z.object({
    role: z
      .enum(['poster', 'negotiator'])
      .optional()
      .describe('Only those on your own listings (poster), or on those of others (negotiator)'),
    ...pageInput('Deals'),
  }),
  aliases: { after: ['next', 'cursor'] },
  output: z.object({
    deals: z.array(DealOut).describe('The deals'),
    count: z.number().int().describe('Deals on this page'),
    next: nextCursor,
  }),
  needs: ['store', 'clock', 'sign'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['deal', 'free'] },
  rest: { routes: ['GET /v1/deals'] },
  examples: [{}],
  summary: ({ count }) => `${countText(count, 'deal')}.`,
}).run(async ({ store, clock, sign, caller, base }, { role, limit, after }) => {
  const account = await requireAccount(store, caller)
  const paging = { account: account.id, role, limit, after }
  const { rows, next } = await findBothSides(dealsIn(store), 'sealed_at', paging)
  const now = clock.now()
  return {
    deals: rows.map(({ row, role }) => toPublicDeal(sign, base, row, role, now)),
    count: rows.length,
    next,
  }
})
