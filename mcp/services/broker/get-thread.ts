import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { ownThread, ThreadOut, toPublicThread } from './thread.ts'

export default tool({
  name: 'get_thread',
  title: 'Read a negotiation',
  description: 'Returns one of your negotiations with all its offers and whose turn it is. Free.',
  keywords: ['conversation', 'messages', 'terms', 'talks', 'standing', 'write'],
  input: z.object({ thread_id: z.string().max(64).describe('Id of the thread') }),
  aliases: { thread_id: ['id', 'thread'] },
  output: ThreadOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['GET /v1/threads/:thread_id'] },
  needsSetup: true,
  examples: [{ thread_id: 'thr_0' }],
  summary: ({ thread_id, state, turn }) => `${thread_id} is ${state}; next: ${turn}.`,
}).run(async ({ store, clock, caller }, { thread_id: id }) => {
  const { thread, role } = await ownThread(store, id, await requireAccount(store, caller))
  return toPublicThread(thread, role, clock.now())
})
