import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { discard, messageId } from './message.ts'

export default tool({
  name: 'message_delete',
  title: 'Delete a direct message',
  description:
    'Takes a direct message out of your mailbox for good; the other side keeps its own. Use it to make room. Free.',
  keywords: ['remove', 'discard', 'mail', 'empty'],
  input: z.object({ message_id: messageId }),
  output: z.object({
    message_id: z.string().describe('Id of the message'),
    deleted: z.literal(true).describe('It is gone'),
  }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['messages', 'free'] },
  rest: { routes: ['POST /messages/delete'] },
  examples: [{ message_id: '0123456789abcdef01234567' }],
  needsSetup: true,
  summary: ({ message_id }) => `Deleted ${message_id}.`,
}).run(({ commit, caller }, { message_id }) =>
  commit(async tx => {
    const { id } = await requireAccount(tx, caller)
    await discard(tx, id, message_id)
    return { message_id, deleted: true as const }
  }),
)
