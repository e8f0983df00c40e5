import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { OperationId, QuoteFields } from './gas/answer.ts'
import { senderOf, sponsorFields } from './gas/request.ts'
import { gasSettings } from './gas/settings.ts'
import { sponsorChains } from './gas/sponsor-chains.ts'

export default tool({
  name: 'gas_quote',
  title: 'Quote sponsored gas',
  description:
    'Tells what it costs to have the gas of calls paid for: the exact price in USDC, the cap, limits, fees, and whether the account has to delegate (EIP-7702). The operation is tried out on the chain first; what would revert is refused with the reason. Base and Polygon. Free.',
  keywords: ['gasless', 'estimate', 'paymaster', 'erc4337', 'abstraction'],
  input: z.object({
    ...sponsorFields,
    id: OperationId.optional().describe(
      'An operation that was paid for and not carried out: its money counts',
    ),
  }),
  output: z.object(QuoteFields),
  needs: ['store', 'clock', sponsorChains, gasSettings.gasMaxUsd],
  price: free,
  limits: [
    { perMinute: 30, per: 'client' },
    { perMinute: 20, per: senderOf },
  ],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'gas', tags: ['gas', 'erc-4337', 'eip-7702'] },
  rest: { routes: ['POST /v1/gas/quote'] },
  needsSetup: true,
  examples: [
    {
      sender: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
      calls: [{ to: '0x209693bc6afc0c5328ba36faf03c514ef312287c' }],
    },
  ],
  summary: ({ price }) => `The operation costs ${price} USDC.`,
}).run(async ({ store, clock, sponsorChains: chains, gasMaxUsd: maxUsd }, input) => {
  const { quoteOperation } = await import('./gas/sponsorship.ts')
  return quoteOperation({ store, clock, chains, maxUsd }, input)
})
