import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { bowlsIn } from './bowl.ts'
import { feedingsIn, readFeeding } from './feeding.ts'

const Line = z.object({
  number: z.number().int().describe('1 for the first feeding'),
  kind: z.enum(['feed', 'tip']).describe('A paid feeding, or a direct transfer that counts as one'),
  amount_usd: z.string().describe('What was paid, in USD'),
  feeder: z.string().describe('Address that paid'),
  network: z.string().describe('CAIP-2 network of the payment'),
  transaction: z.string().describe('Look it up on the chain'),
  fed_at: z.iso.datetime().describe('UTC'),
})

export default tool({
  name: 'feedings',
  title: 'List the feedings',
  description:
    'Lists who fed the cat, newest first, with kind, amount and transaction of each, so that anyone can check it on the chain. Free.',
  keywords: ['history', 'log', 'donors', 'recent'],
  input: z.object({
    ...pageInput('Feedings', { preset: 50 }),
  }),
  output: z.object({
    count: z.number().int().describe('All feedings there are'),
    feedings: z.array(Line).describe('This page of them, newest first'),
    next: nextCursor,
  }),
  needs: ['store'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['cat', 'free'] },
  rest: { routes: ['GET /api/feedings'] },
  examples: [{}, { limit: 1 }],
  summary: ({ count }) => `The cat was fed ${countText(count, 'time')}.`,
}).run(async ({ store }, { limit, after }) => {
  const list = feedingsIn(store)
  const page = await list.find({
    index: 'number',
    order: 'desc',
    ...pageQuery({ limit, after }),
  })
  return {
    // Counted in the transaction that writes a feeding; none is ever taken back.
    count: (await bowlsIn(store).get('bowl'))?.feedings ?? 0,
    feedings: page.rows.map(row => {
      const { purr: _, ...line } = readFeeding(row)
      return line
    }),
    next: page.next ?? null,
  }
})
