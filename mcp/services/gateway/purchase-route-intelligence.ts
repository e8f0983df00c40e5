import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { AssessPorts } from './assess/assess.ts'
import { CandidateIdentifier, Need } from './candidate/input.ts'
import { targetOf } from './candidate/resolve.ts'
import { originOf } from './origin.ts'
import { gatherContent } from './purchase/content.ts'
import { paymentRequired, prepare } from './purchase/prepare.ts'
import { PurchaseOut, priceUsd } from './purchase/purchase.ts'
import { requireUnpaidRoom } from './purchase/purge.ts'
import { purchaseOf, settle } from './purchase/settle.ts'

const guidance = (base: string) => ({
  state: 'guidance' as const,
  purchase_id: null,
  prepared_result_digest: null,
  result: null,
  payment: null,
  expires_at: null,
  idempotent_replay: false,
  guidance: `A2A neither executes routes nor moves funds. Buy over REST (POST ${base}/commercial/route-intelligence/purchase) or MCP (${base}/mcp, purchase_route_intelligence).`,
})

const notReady = (blocking_reasons: readonly string[]) =>
  new ToolError('unavailable', `Route intelligence cannot be bought here: ${blocking_reasons.join(', ')}.`, {
    reason: 'not_launch_ready',
    params: { launch_ready: false, blocking_reasons },
  })

type Asked = {
  need: string
  candidate_identifier?: string | undefined
  purchase_id?: string | undefined
}

export default tool({
  name: 'purchase_route_intelligence',
  title: 'Buy route intelligence',
  description: `Sells ranked, checked routes for a need with fall-backs. First answers 402 with a frozen result's digest and an authorization; you broadcast ${priceUsd} USDC on Base yourself (you pay gas, no facilitator) and repeat with purchase_id and transaction_hash.`,
  input: z.object({
    need: Need.describe('What is needed, 1 to 128 characters'),
    candidate_identifier: CandidateIdentifier.optional().describe('Only this candidate'),
    purchase_id: z
      .string()
      .regex(/^pur_[0-9a-f]{32}$/, 'must be the purchase_id of the 402')
      .optional()
      .describe('Of the 402 before'),
    transaction_hash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hexadecimal digits')
      .optional()
      .describe('The transaction that paid'),
  }),
  output: PurchaseOut,
  needs: ['fetch', 'store', 'clock', 'cache', 'gateway', 'purchases', 'keys'],
  price: free,
  limits: [
    { perMinute: 60, per: 'client' },
    {
      perMinute: 60,
      per: ({ purchase_id, candidate_identifier, need }: Asked) =>
        purchase_id ?? targetOf(candidate_identifier ?? need),
    },
  ],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  mcp: 'unlisted',
  a2a: { tags: ['route-intelligence', 'paid'] },
  rest: { routes: ['POST /commercial/route-intelligence/purchase'] },
  staged: true,
  examples: [{ need: 'translation' }],
  say: ({ state }) => (state === 'guidance' ? 'Buy over REST or MCP.' : `The purchase is ${state}.`),
}).run(async (ctx, { need, candidate_identifier, purchase_id, transaction_hash }) => {
  const { channel, base, purchases, store, clock, keys, client } = ctx
  if (channel === 'a2a') return guidance(base)
  if (purchase_id !== undefined) {
    const prepared = await purchaseOf(store, purchase_id)
    if (prepared.need !== need || prepared.candidate_identifier !== (candidate_identifier ?? null))
      throw new ToolError('conflict', 'This purchase was prepared for another need or candidate.', {
        reason: 'payment_requirement_changed',
      })
    return settle(ctx, { purchase_id, transaction_hash })
  }
  const blocking = await purchases.blocking()
  if (blocking.length > 0) throw notReady(blocking)
  const origin = originOf(keys, client)
  await requireUnpaidRoom(store, origin, clock.now())
  const content = await gatherContent(ctx as typeof ctx & AssessPorts, { need, candidate_identifier })
  if (content.route_count === 0 && content.partial)
    throw new ToolError('upstream', 'Not every registry answered, and those that did name nobody.')
  if (content.route_count === 0)
    throw new ToolError('conflict', 'There is no route to sell for this need; nothing was prepared.', {
      reason: 'no_purchasable_route_available',
    })
  const { purchase, offer } = await prepare(ctx, { need, candidate_identifier }, { result: content, origin })
  throw paymentRequired(purchase, offer, base)
})
