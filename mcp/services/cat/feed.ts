import { z } from 'zod'
import { paidBy, tool, usd } from '../../kernel/tool.ts'
import { feed, feedingUsd, Purr } from './feeding.ts'

export default tool({
  name: 'feed',
  title: 'Feed the cat',
  description:
    'Feeds the cat: adds 10% kibble to the bowl and returns a purr with the number of the feeding and its transaction. Costs 0.10 USDC on Base, settled first.',
  keywords: ['food', 'ten', 'cents', 'pay', 'treat', 'buy'],
  input: z.object({}),
  output: Purr,
  needs: ['clock'],
  price: usd(feedingUsd, 'base'),
  settle: 'before',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['cat', 'x402'] },
  rest: { routes: ['POST /api/feed'] },
  examples: [{}],
  summary: ({ purr, kibble, number }) => `${purr} Feeding ${number}; the bowl is at ${kibble}%.`,
}).run(({ commit, clock, receipt }) =>
  commit(tx => feed(tx, paidBy(receipt), { kind: 'feed', amount_usd: feedingUsd }, clock.now())),
)
