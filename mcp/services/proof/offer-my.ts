import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account/caller.ts'
import { OfferOut, offersIn, toOfferOut } from './offer.ts'

export default tool({
  name: 'offer_my',
  title: 'Your offers',
  description: 'What you sell, the newest first, with how often it was bought and what it earned. Free.',
  keywords: ['listings', 'products', 'sales'],
  input: z.object(pageInput('Offers')),
  output: z.object({
    offers: z
      .array(OfferOut.extend({ earned_sats: z.int().describe('What it brought to your balance') }))
      .describe('The newest first'),
    next: nextCursor,
  }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['marketplace', 'free'] },
  rest: { routes: ['GET /offers/my'] },
  examples: [{ limit: 10 }],
  summary: ({ offers }) => `${countText(offers.length, 'offer')}.`,
}).run(async ({ store, caller }, page) => {
  const { id: seller } = await requireAccount(store, caller)
  const { rows, next } = await offersIn(store).find({
    index: 'seller',
    where: { seller },
    order: 'desc',
    ...pageQuery(page),
  })
  return {
    offers: rows.map(offer => ({ ...toOfferOut(offer), earned_sats: offer.earned_sats })),
    next: next ?? null,
  }
})
