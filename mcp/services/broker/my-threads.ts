import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { pageQuery } from '../../lib/paging.ts'
import { requireAccount } from './account/caller.ts'
import { ThreadPage, ThreadPageInput } from './thread/page.ts'
import { toPublicThread } from './thread/public-thread.ts'
import { threadsIn } from './thread/thread.ts'

export default tool({
  name: 'my_threads',
  title: 'List your negotiations',
  description: 'Returns your negotiations on one side, the newest first, page by page. Free.',
  keywords: ['my negotiations', 'open negotiations', 'my conversations', 'which negotiations wait for me'],
  input: z.object({
    role: z
      .enum(['poster', 'negotiator'])
      .default('negotiator')
      .describe('On your own listings, or on those of others'),
    ...ThreadPageInput,
  }),
  output: ThreadPage,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['GET /v1/threads'] },
  examples: [{}],
  summary: ({ count }) => `${count} threads.`,
}).run(async ({ store, clock, caller }, { role, limit, after }) => {
  const account = await requireAccount(store, caller)
  const page = { order: 'desc' as const, ...pageQuery({ limit, after }) }
  const { rows, next } = await threadsIn(store).find({ index: role, where: { [role]: account.id }, ...page })
  return {
    threads: rows.map(row => toPublicThread(row, role, clock.now())),
    count: rows.length,
    next: next ?? null,
  }
})
