import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account.ts'
import { listingsIn } from './listing.ts'
import { ThreadPage, ThreadPageInput, threadsIn, toPublicThread } from './thread.ts'

export default tool({
  name: 'listing_threads',
  title: 'List the negotiations on your listing',
  description:
    'Returns the negotiations on one of your listings in one state, the newest first, page by page. Free.',
  keywords: ['interested', 'replies', 'buyers', 'received', 'ad'],
  input: z.object({
    listing_id: z.string().max(64).describe('Id of your listing'),
    state: z
      .enum(['open', 'accepted', 'finalized', 'rejected', 'closed', 'expired'])
      .default('open')
      .describe('Only threads in this state'),
    ...ThreadPageInput,
  }),
  aliases: { listing_id: ['id', 'listing'], after: ['next', 'cursor'] },
  output: ThreadPage,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['GET /v1/listings/:listing_id/threads'] },
  needsSetup: true,
  examples: [{ listing_id: 'lst_0' }],
  summary: ({ count }) => `${countText(count, 'thread')}.`,
}).run(async ({ store, clock, caller }, { listing_id: id, state, limit, after }) => {
  const account = await requireAccount(store, caller)
  const listing = await listingsIn(store).get(id)
  if (listing?.account !== account.id) throw new ToolError('not_found', 'You have no such listing.')
  const page = { order: 'desc' as const, ...pageQuery({ limit, after }) }
  const { rows, next } = await threadsIn(store).find({
    index: 'listing',
    where: { listing: id, state },
    ...page,
  })
  return {
    threads: rows.map(row => toPublicThread(row, 'poster', clock.now())),
    count: rows.length,
    next: next ?? null,
  }
})
