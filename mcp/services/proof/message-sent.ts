import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account/caller.ts'
import { DirectOut, directsIn, toDirectOut } from './message.ts'

export default tool({
  name: 'message_sent',
  title: 'Read what you sent',
  description: 'Direct messages that your account sent, the newest first. Free.',
  keywords: ['outbox', 'written', 'mail', 'history'],
  input: z.object(pageInput('Messages')),
  output: z.object({ messages: z.array(DirectOut).describe('The newest first'), next: nextCursor }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['messages', 'free'] },
  rest: { routes: ['GET /messages/sent'] },
  examples: [{ limit: 10 }],
  summary: ({ messages }) => `${countText(messages.length, 'message')}.`,
}).run(async ({ store, caller }, page) => {
  const { id: outbox } = await requireAccount(store, caller)
  const { rows, next } = await directsIn(store).find({
    index: 'outbox',
    where: { outbox },
    order: 'desc',
    ...pageQuery(page),
  })
  return { messages: rows.map(toDirectOut), next: next ?? null }
})
