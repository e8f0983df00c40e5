import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { emitEvent } from './event/event.ts'
import { acceptTerms } from './thread/accept.ts'
import { ownThread, requireUnderWay } from './thread/own.ts'
import { ThreadOut, toPublicThread } from './thread/public-thread.ts'
import { threadsIn } from './thread/thread.ts'

export default tool({
  name: 'accept_offer',
  title: 'Accept the standing offer',
  description:
    "Accepts the other side's standing offer by quoting its terms_hash; stale terms are refused. The poster then has 24 hours to seal the deal. Free.",
  keywords: ['agree', 'counterparty', 'price', 'shake', 'hands', 'proposal'],
  input: z.object({
    thread_id: z.string().max(64).describe('Id of the thread'),
    terms_hash: z.string().max(100).describe('Hash of the terms that are accepted'),
  }),
  aliases: { thread_id: ['id', 'thread'] },
  output: ThreadOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['POST /v1/threads/:thread_id/accept'] },
  needsSetup: true,
  examples: [{ thread_id: 'thr_0', terms_hash: `sha256:${'0'.repeat(64)}` }],
  summary: ({ standing }) => `Accepted ${standing.price_usd} USD.`,
}).run(({ commit, clock, caller }, { thread_id: id, terms_hash }) =>
  commit(async tx => {
    const now = clock.now()
    const account = await requireAccount(tx, caller)
    const { thread, role } = await ownThread(tx, id, account)
    requireUnderWay(thread, now)
    const nextThread = acceptTerms(thread, role, terms_hash, now)
    await threadsIn(tx).put(nextThread)
    await emitEvent(tx, [thread.poster, thread.negotiator], {
      kind: 'offer_accepted',
      listing: thread.listing,
      thread: thread.id,
    })
    return toPublicThread(nextThread, role, now)
  }),
)
