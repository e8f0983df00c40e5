import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { markRead, messageId, readMailbox } from './message.ts'

export default tool({
  name: 'message_mark_read',
  title: 'Mark messages as read',
  description:
    'Marks messages of your inbox as read, all that are named or none. Use it once you dealt with them. Free.',
  keywords: ['seen', 'clear', 'acknowledge', 'unread'],
  input: z.object({ message_ids: z.array(messageId).min(1).max(100).describe('Ids of 1 to 100 messages') }),
  output: z.object({
    marked: z.int().describe('How many of them were unread'),
    unread: z.int().describe('Messages that are unread now'),
  }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['messages', 'free'] },
  rest: { routes: ['POST /messages/read'] },
  examples: [{ message_ids: ['0123456789abcdef01234567'] }],
  needsSetup: true,
  summary: ({ marked, unread }) => `Marked ${marked}; ${unread} are unread.`,
}).run(({ commit, caller }, { message_ids }) =>
  commit(async tx => {
    const { id } = await requireAccount(tx, caller)
    const marked = await markRead(tx, id, message_ids)
    return { marked, unread: (await readMailbox(tx, id)).unread }
  }),
)
