import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, free, tool } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { type ExtraInput, extras } from './assess/extras.ts'
import { CandidateIdentifier, NeedInput } from './candidate/input.ts'
import { toTarget } from './candidate/resolve.ts'
import { gatewaySettings, registrySettings } from './config.ts'
import { hashOrigin } from './origin.ts'
import { gatherContent } from './purchase/content.ts'
import { prepare, preparedPrice } from './purchase/prepare.ts'
import { hashPurchaseTerms, listPrice, PurchaseOut, priceUsd } from './purchase/purchase.ts'
import { requireUnpaidRoom } from './purchase/purge.ts'
import { claimPrice, deliver, loadPurchase } from './purchase/settle.ts'

const guidance = (base: string) => ({
  state: 'guidance' as const,
  purchase_id: null,
  prepared_result_digest: null,
  result: null,
  payment: null,
  expires_at: null,
  idempotent_replay: false,
  guidance: `A2A neither executes routes nor moves funds. Route intelligence costs ${priceUsd} USDC; buy it over REST (POST ${base}/commercial/route-intelligence/purchase) or MCP (${base}/mcp, purchase_route_intelligence).`,
})

const notReady = (blocking_reasons: readonly string[]) =>
  new ToolError('unavailable', `Route intelligence cannot be bought here: ${blocking_reasons.join(', ')}.`, {
    reason: 'not_launch_ready',
    params: { launch_ready: false, blocking_reasons },
  })

type RouteQuery = ExtraInput & {
  need: string
  candidate_identifier?: string | undefined
  purchase_id?: string | undefined
}

const needs = [
  'fetch',
  'store',
  'clock',
  'cache',
  'purchases',
  'keys',
  gatewaySettings.policy,
  ...registrySettings,
] as const
const wants = ['rdap', 'transfers'] as const

type Ctx = Context<(typeof needs)[number], (typeof wants)[number]>
type Asked = RouteQuery & { transaction_hash?: string | undefined }

/** Item for sale: what was gathered for a new purchase, or the price of one that exists, which the transfer that it names pays. */
const gather = perCall(async (ctx: Ctx, asked: Asked) => {
  const { need, candidate_identifier, purchase_id, transaction_hash, ...terms } = asked
  const { channel, purchases, store, clock, keys, client } = ctx
  if (channel === 'a2a') return { price: free }
  if (purchase_id !== undefined) {
    const purchase = await loadPurchase(store, purchase_id)
    const isOther =
      purchase.need !== need ||
      purchase.candidate_identifier !== (candidate_identifier ?? null) ||
      (Object.keys(terms).length > 0 && hashPurchaseTerms(terms) !== purchase.terms)
    if (isOther)
      throw new ToolError('conflict', 'This purchase was prepared for another need, candidate or terms.', {
        reason: 'payment_requirement_changed',
        hint: 'Repeat the call as it was; max_cost, authority and accepted_licenses may be left out.',
      })
    return { price: claimPrice(ctx, purchase, transaction_hash) }
  }
  const blocking = await purchases.blocking()
  if (blocking.length > 0) throw notReady(blocking)
  const origin = hashOrigin(keys, client)
  await requireUnpaidRoom(store, origin, clock.now())
  const content = await gatherContent(ctx, { need, candidate_identifier, ...terms })
  if (content.route_count === 0 && content.partial)
    throw new ToolError('upstream', 'Not every registry answered, and those that did name nobody.')
  if (content.route_count === 0)
    throw new ToolError('conflict', 'There is no route to sell for this need; nothing was prepared.', {
      reason: 'no_purchasable_route_available',
    })
  if (content.routes.every(({ verdict }) => verdict === 'STOP'))
    throw new ToolError(
      'conflict',
      'Every route for this need is STOP; none is worth paying for, and nothing was prepared.',
      {
        reason: 'no_purchasable_route_available',
        hint: 'Ask why, free of charge, or name another need or candidate.',
        next: ['pre_spend_preflight'],
        params: { route_count: content.route_count, partial: content.partial },
      },
    )
  return { query: { need, candidate_identifier, terms: hashPurchaseTerms(terms) }, result: content, origin }
})

export default tool({
  name: 'purchase_route_intelligence',
  title: 'Buy route intelligence',
  description: `Sells ranked, checked routes for a need with fall-backs. First answers 402 with a frozen result's digest and an authorization; you broadcast ${priceUsd} USDC on Base yourself (you pay gas, no facilitator) and repeat with purchase_id and transaction_hash.`,
  keywords: ['best', 'providers', 'paid', 'recommend', 'compare', 'api'],
  input: z.object({
    need: NeedInput.describe('What is needed, 1 to 128 characters'),
    candidate_identifier: CandidateIdentifier.optional().describe('Only this candidate'),
    ...extras,
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
  needs,
  wants,
  price: listPrice,
  check: gather,
  async quote(ctx, input) {
    const found = await gather(ctx, input)
    if ('price' in found) return found.price
    const { purchase, offer } = await prepare(ctx, found.query, found)
    return preparedPrice(purchase, offer, ctx.base)
  },
  settle: 'before',
  limits: [
    { perMinute: 60, per: 'client' },
    {
      perMinute: 60,
      per: ({ purchase_id, candidate_identifier, need }: RouteQuery) =>
        purchase_id ?? toTarget(candidate_identifier ?? need),
    },
  ],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  mcp: 'unlisted',
  a2a: { tags: ['route-intelligence', 'paid'] },
  rest: { routes: ['POST /commercial/route-intelligence/purchase'] },
  needsSetup: true,
  examples: [{ need: 'translation' }],
  summary: ({ state }) => (state === 'guidance' ? 'Buy over REST or MCP.' : `The purchase is ${state}.`),
}).run(async (ctx, { purchase_id = '' }) => {
  const { channel, base } = ctx
  return channel === 'a2a' ? guidance(base) : deliver(ctx, { purchase_id })
})
