import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account.ts'
import { findBothSides, ThreadPage, ThreadPageInput, threadsIn, toPublicThread } from './thread.ts'

export default tool({
  name: 'my_threads',
  title: 'List your negotiations',
  description: 'Returns your negotiations on both sides, or on one, the newest first, page by page. Free.',
  keywords: ['open', 'talks', 'ongoing', 'messages', 'conversations', 'wait'],
  input: z.object({
    role: z
      .enum(['poster', 'negotiator'])
      .optional()
      .describe('Only those on your own listings (poster), or on those of others (negotiator)'),
    ...ThreadPageInput,
  }),
  aliases: { after: ['next', 'cursor'] },
  output: ThreadPage,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['GET /v1/threads'] },
  examples: [{}],
  summary: ({ count }) => `${countText(count, 'thread')}.`,
}).run(async ({ store, clock, caller }, { role, limit, after }) => {
  const account = await requireAccount(store, caller)
  const paging = { account: account.id, role, limit, after }
  const { rows, next } = await findBothSides(threadsIn(store), 'created_at', paging)
  return {
    threads: rows.map(({ row, role }) => toPublicThread(row, role, clock.now())),
    count: rows.length,
    next,
  }
})
