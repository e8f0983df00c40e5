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
  keywords: [
    'paid but no answer',
    'paid without result',
    'missing result',
    'answer did not come',
    'payment lost',
    'retry delivery',
    'I paid but got nothing',
    'payment not recognised',
    'transaction was sent but no result',
    'recheck my payment',
    'connection lost after paying',
    'deliver what I bought',
    'bezahlt aber nichts bekommen',
    'payé mais rien reçu',
    'pagué y no recibí nada',
    'pagato ma non ricevuto',
    'betaald maar niets ontvangen',
    'paguei e não recebi',
    '支払ったのに届かない',
  ],
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
