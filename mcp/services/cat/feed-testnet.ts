import { z } from 'zod'
import { paidBy, tool, usd } from '../../kernel/tool.ts'
import { kibbleNow } from './bowl.ts'
import { feedingUsd, Purr } from './feeding.ts'

export default tool({
  name: 'feed_testnet',
  title: 'Rehearse feeding the cat',
  description:
    'Rehearses a feeding with faucet tokens: the payment on Base Sepolia is real, the kibble is not. Use it to try a wallet. Costs 0.10 test USDC, settled first.',
  keywords: ['money', 'sandbox', 'dry', 'practice', 'demo', 'x402'],
  input: z.object({}),
  output: Purr,
  needs: ['store', 'clock'],
  price: usd(feedingUsd, 'base-sepolia'),
  settle: 'before',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['cat', 'x402', 'testnet'] },
  rest: { routes: ['POST /api/feed/testnet'] },
  examples: [{}],
  summary: ({ purr }) => `${purr} That was a rehearsal; the bowl is as it was.`,
}).run(async ({ store, clock, receipt }) => {
  const { network, transaction, payer } = paidBy(receipt)
  const { kibble, mood, feedings, observed_at } = await kibbleNow(store, clock.now())
  return {
    kind: 'testnet' as const,
    purr: 'Prrr? It smells of test tokens.',
    mood,
    kibble,
    feedings,
    number: null,
    amount_usd: feedingUsd,
    feeder: payer,
    network,
    transaction,
    observed_at,
  }
})
