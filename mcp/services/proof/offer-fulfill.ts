import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { lineText } from './message.ts'
import { fulfillPurchase, OfferPurchaseOut, purchaseId, toPurchaseOut } from './purchase.ts'

export default tool({
  name: 'offer_fulfill',
  title: 'Fulfil a purchase',
  description:
    'Tells the buyer of your offer where or what you delivered. Use it once you have; the same reference again changes nothing, another one is refused. Free.',
  keywords: ['deliver', 'ship', 'complete', 'order', 'mark', 'item'],
  input: z.object({
    purchase_id: purchaseId,
    fulfillment_ref: lineText(500).describe(
      'An address, an id or a note for the buyer, up to 500 characters',
    ),
  }),
  output: OfferPurchaseOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['marketplace', 'free'] },
  rest: { routes: ['POST /offers/my/purchases/:purchase_id/fulfill'] },
  examples: [
    { purchase_id: '0123456789abcdef01234567', fulfillment_ref: 'https://seller.example/report.pdf' },
  ],
  needsSetup: true,
  summary: ({ purchase_id }) => `Fulfilled ${purchase_id}.`,
}).run(({ commit, clock, caller }, { purchase_id, fulfillment_ref }) =>
  commit(async tx => {
    const { id: seller } = await requireAccount(tx, caller)
    const now = clock.now()
    return toPurchaseOut(await fulfillPurchase(tx, { seller, id: purchase_id, ref: fulfillment_ref, now }))
  }),
)
