import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { endThread, ownThread, requireUnderWay, ThreadOut, toPublicThread } from './thread.ts'

export default tool({
  name: 'close_thread',
  title: 'Close a negotiation',
  description: 'Ends a negotiation for good and frees the fee that is on hold for it. Either side may. Free.',
  keywords: ['walk', 'away', 'cancel', 'talks', 'abort', 'break'],
  input: z.object({ thread_id: z.string().max(64).describe('Id of the thread') }),
  aliases: { thread_id: ['id', 'thread'] },
  output: ThreadOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['POST /v1/threads/:thread_id/close'] },
  needsSetup: true,
  examples: [{ thread_id: 'thr_0' }],
  summary: ({ thread_id }) => `${thread_id} is closed.`,
}).run(({ commit, clock, ledger, caller }, { thread_id: id }) =>
  commit(async tx => {
    const now = clock.now()
    const { thread, role } = await ownThread(tx, id, await requireAccount(tx, caller))
    requireUnderWay(thread, now)
    return toPublicThread(await endThread(tx, ledger, thread, 'rejected'), role, now)
  }),
)
