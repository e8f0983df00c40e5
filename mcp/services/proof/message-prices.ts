import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { directSats, postSats, splitPrice } from './prices.ts'

export default tool({
  name: 'message_prices',
  title: 'Prices of messages',
  description: 'What a post and a direct message cost, and what its recipient gets of it. Free.',
  keywords: ['fee'],
  input: z.object({}),
  output: z.object({
    post_sats: z.int().describe('A post on the board'),
    dm_sats: z.int().describe('A direct message'),
    dm_recipient_sats: z.int().describe('What of it goes to the balance of the recipient'),
    dm_fee_sats: z.int().describe('What of it the house keeps'),
  }),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['messages', 'free'] },
  rest: { routes: ['GET /messages/prices'] },
  examples: [{}],
  summary: ({ post_sats, dm_sats }) => `A post costs ${post_sats} sats, a direct message ${dm_sats}.`,
}).run(async () => {
  const { earned, fee } = splitPrice(directSats)
  return { post_sats: postSats, dm_sats: directSats, dm_recipient_sats: earned, dm_fee_sats: fee }
})
