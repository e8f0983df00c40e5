import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { priceAtomic, priceUsd, sku } from './purchase/purchase.ts'

export default tool({
  name: 'payment_readiness',
  title: 'Payment readiness',
  description:
    'Tells whether route intelligence can be bought now, how it is paid, and what is in the way if not. Free.',
  keywords: ['ready', 'buy', 'status', 'open', 'possible', 'launch'],
  input: z.object({}),
  output: z.object({
    launch_ready: z.boolean().describe('True when it can be bought'),
    blocking_reasons: z.array(z.string()).describe('What is in the way; empty when nothing is'),
    product_sku: z.literal(sku).describe('What is sold'),
    price_usd: z.string().describe('What it costs'),
    atomic_amount: z.string().describe('The same in atomic units of USDC'),
    payment_method: z.literal('direct_stablecoin').describe('How it is paid'),
    payment_flow: z.literal('upfront').describe('When it is paid'),
    transfer_method: z.literal('eip3009_transfer_with_authorization').describe('What the buyer broadcasts'),
    network: z.string().nullable().describe('CAIP-2 network; null when it is not configured'),
    chain_id: z.number().int().nullable().describe('Chain id'),
    asset: z.string().nullable().describe('Contract of the asset'),
    asset_code: z.literal('USDC').describe('Asset'),
    pay_to: z.string().nullable().describe('Who is paid'),
    buyer_pays_gas: z.literal(true).describe('The buyer pays gas'),
    facilitator_required: z.literal(false).describe('No facilitator takes part'),
    purchase_bound_nonce_required: z.literal(true).describe('The nonce of the 402 binds payment to purchase'),
    real_money_execution_enabled: z.boolean().describe('False on a local chain'),
    proof_fields: z.array(z.string()).describe('What proves the payment'),
  }),
  needs: ['purchases'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: 'unlisted',
  a2a: { tags: ['route-intelligence', 'free'] },
  rest: { routes: ['GET /commercial/route-intelligence/payment-readiness'] },
  examples: [{}],
  summary: ({ launch_ready, blocking_reasons }) =>
    launch_ready ? 'Ready.' : `Not ready: ${blocking_reasons.join(', ')}.`,
}).run(async ({ purchases }) => {
  const blocking_reasons = await purchases.blocking()
  const offer = blocking_reasons.length === 0 ? await purchases.offer() : undefined
  return {
    launch_ready: offer !== undefined,
    blocking_reasons,
    product_sku: sku,
    price_usd: priceUsd,
    atomic_amount: priceAtomic.toString(),
    payment_method: 'direct_stablecoin' as const,
    payment_flow: 'upfront' as const,
    transfer_method: 'eip3009_transfer_with_authorization' as const,
    network: offer?.network ?? null,
    chain_id: offer?.chainId ?? null,
    asset: offer?.asset ?? null,
    asset_code: 'USDC' as const,
    pay_to: offer?.payTo ?? null,
    buyer_pays_gas: true as const,
    facilitator_required: false as const,
    purchase_bound_nonce_required: true as const,
    real_money_execution_enabled: offer !== undefined && !offer.devnet,
    proof_fields: ['purchase_id', 'transaction_hash'],
  }
})
