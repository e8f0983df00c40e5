import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, type Price, paidBy, tool, usd } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { toText } from './bridge/amount.ts'
import { requireNamed } from './bridge/bridge.ts'
import { requireRoute } from './bridge/chains.ts'
import { type AskedInput, askedFields, readAsked, TransferFields, toQuotedAnswer } from './bridge/fields.ts'
import { bridge } from './bridge/port.ts'
import { quoteTransfer } from './bridge/quote.ts'
import { toTransferAnswer } from './bridge/status.ts'
import { toTransferTerms, transferCollection, transferIndexes, transfersIn } from './bridge/transfer.ts'

const quotation = perCall(async ({ bridge: port }: Context<typeof bridge>, input: AskedInput) =>
  quoteTransfer(port, await readAsked(input)),
)

export default tool({
  name: 'bridge_transfer',
  title: 'Bridge USDC',
  description:
    "Bridges USDC by one signed payment: from Base to sixteen chains, or from Arc to Base, to the payer's own address, in about 12 seconds. Payment and burn are one transaction. Costs about 1.035 USDC per 1 received on Arc; the 402 has the exact price. bridge_quote tells it for free.",
  keywords: ['move', 'arbitrum', 'send', 'cross', 'stablecoin', 'polygon'],
  input: z.object(askedFields),
  output: z.object({
    transfer: TransferFields.describe('The transfer'),
    status_url: z.string().describe('Where to ask how far it is'),
  }),
  needs: ['store', bridge],
  // What it costs depends on the call: nothing is quoted to one that cannot be read.
  price: { ...usd('1.035'), terms: { kind: 'eip3009' } },
  check: quotation,
  async quote(ctx, input): Promise<Price> {
    const { bridge } = ctx
    const quoted = await quotation(ctx, input)
    const { route, payTo, parts, mode, collector } = quoted
    const { parts: priceParts, receives, note, price } = toQuotedAnswer(quoted)
    const terms = {
      route: route.name,
      amount: String(parts.amount),
      kept: String(parts.margin + parts.gas),
      ref: input.ref ?? null,
      mode,
    }
    return {
      amount: price,
      unit: 'usd',
      network: route.from.name,
      terms: {
        kind: 'eip3009',
        payTo,
        amount: String(parts.total),
        collector,
        journal: {
          collection: transferCollection,
          indexes: transferIndexes,
          row: { ...toTransferTerms(terms, bridge.now()) },
        },
      },
      note: {
        hint: `${receives.exactly ? 'Exactly' : 'At least'} ${toText(parts.amount)} USDC arrives at the payer's address on ${route.to.title}. ${note}`,
        params: { parts: priceParts, receives },
      },
    }
  },
  async admit({ bridge }, { from, to, ref }, { address }) {
    if (ref?.toLowerCase() === address.toLowerCase())
      throw new ToolError('invalid_input', 'The payer cannot be its own referrer.', {
        issues: [{ path: 'ref', message: 'is the address that pays' }],
        hint: 'Leave ref away. Nothing was charged.',
      })
    const { requireOwnAddress } = await import('./bridge/payer.ts')
    await requireOwnAddress(bridge, requireRoute(from, to), address as `0x${string}`)
  },
  settle: 'before',
  timeoutMs: 90_000,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { group: 'bridge', tags: ['usdc', 'bridge', 'x402'] },
  rest: { routes: ['GET /v1/bridge'] },
  examples: [{ from: 'base', to: 'arc', amount: '1' }],
  summary: ({ transfer: { amount, route, state } }) => `${amount} USDC over ${route}: ${state}.`,
}).run(async ({ bridge, store, receipt, commit, signal, base }) => {
  const { id, transaction } = paidBy(receipt)
  const transfer = await transfersIn(store).get(id)
  if (!transfer) throw new Error('a paid transfer has no journal')
  const { followTransfer, noteBurn } = await import('./bridge/follow.ts')
  const burned = await noteBurn(bridge, transfer, transaction)
  const last = await followTransfer(bridge, burned, bridge.waitMs, signal)
  const answer = {
    transfer: toTransferAnswer(requireNamed(last.route), last, bridge.now()),
    status_url: `${base}/v1/bridge/status?id=${id}`,
  }
  return commit(async () => answer)
})
