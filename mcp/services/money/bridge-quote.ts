import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { askedFields, quotedFields, readAsked, toQuotedAnswer } from './bridge/fields.ts'
import { readHealth } from './bridge/health.ts'
import { bridge } from './bridge/port.ts'
import { quoteTransfer } from './bridge/quote.ts'

export default tool({
  name: 'bridge_quote',
  title: 'Price a bridge transfer',
  description:
    'Tells the exact price of bridging USDC and its parts: margin, forward fee, protocol fee and gas; what arrives and whether exactly; the contract that is paid; and how the route has done lately. Nothing is kept or sent. Free.',
  keywords: ['cost', 'cross', 'chain', 'estimate', 'cctp', 'move'],
  input: z.object(askedFields),
  output: z.object(quotedFields),
  needs: ['store', bridge],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'bridge', tags: ['usdc', 'bridge'] },
  rest: { routes: ['GET /v1/bridge/quote'] },
  examples: [{ from: 'base', to: 'arc', amount: '1' }],
  summary: ({ route, price, receives }) =>
    `${route}: ${price} USDC, of which ${receives.exactly ? 'exactly' : 'at least'} ${receives.amount} arrives.`,
}).run(async ({ bridge }, input) => {
  const quoted = await quoteTransfer(bridge, await readAsked(input))
  return { ...toQuotedAnswer(quoted), health: await readHealth(bridge, quoted.route) }
})
