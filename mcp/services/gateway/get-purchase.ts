import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { PurchaseOut, toPublicPurchase } from './purchase/purchase.ts'
import { loadPurchase } from './purchase/settle.ts'

export default tool({
  name: 'get_purchase',
  title: 'Read a purchase',
  description:
    'Returns the state of a purchase, and its result once it is paid. The id is the only key to it. Free.',
  keywords: ['order', 'status', 'download', 'report', 'receipt', 'week'],
  input: z.object({ purchase_id: z.string().max(64).describe('Id of the purchase') }),
  output: PurchaseOut,
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: 'unlisted',
  rest: { routes: ['GET /commercial/route-intelligence/purchases/:purchase_id'] },
  needsSetup: true,
  examples: [{ purchase_id: 'pur_00000000000000000000000000000000' }],
  summary: ({ state }) => `The purchase is ${state}.`,
}).run(async ({ store, clock }, { purchase_id }) => {
  const purchase = await loadPurchase(store, purchase_id)
  return toPublicPurchase(purchase, clock.now(), purchase.state === 'entitled')
})
