import { z } from 'zod'
import { type Context, free, tool } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { PurchaseOut } from './purchase/purchase.ts'
import { claimPrice, deliver, loadPurchase } from './purchase/settle.ts'

type Asked = { purchase_id: string; transaction_hash: string }

const price = perCall(
  async ({ store, clock }: Context<'store' | 'clock'>, { purchase_id, transaction_hash }: Asked) =>
    claimPrice({ clock }, await loadPurchase(store, purchase_id), transaction_hash),
)

export default tool({
  name: 'reconcile_purchase',
  title: 'Reconcile a purchase',
  description:
    'Checks the transaction of a purchase on the chain again and delivers what was bought, also after a broken connection. Free.',
  keywords: ['lost', 'nothing', 'paid', 'missing', 'retry', 'result'],
  input: z.object({
    purchase_id: z.string().max(64).describe('Id of the purchase'),
    transaction_hash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hexadecimal digits')
      .describe('The transaction that paid'),
  }),
  output: PurchaseOut,
  needs: ['store', 'clock', 'purchases'],
  price: free,
  check: price,
  quote: price,
  settle: 'before',
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  mcp: 'unlisted',
  rest: { routes: ['POST /commercial/route-intelligence/purchases/:purchase_id/reconcile'] },
  needsSetup: true,
  examples: [
    { purchase_id: 'pur_00000000000000000000000000000000', transaction_hash: `0x${'0'.repeat(64)}` },
  ],
  summary: ({ state }) => `The purchase is ${state}.`,
}).run((ctx, claim) => deliver(ctx, claim))
