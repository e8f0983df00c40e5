import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { emitEvent } from './event.ts'
import {
  inHours,
  lastOffer,
  maxOffers,
  OfferInput,
  offerOver,
  otherSide,
  ownThread,
  requireShort,
  requireTurn,
  requireUnderWay,
  type Thread,
  ThreadOut,
  threadsIn,
  toPublicThread,
  waits,
} from './thread.ts'

export default tool({
  name: 'make_offer',
  title: 'Make the next offer',
  description:
    "Answers the other side's offer with your own: free text, a change of the terms, or both. Then it is the other side's turn. Free.",
  keywords: ['counter', 'counteroffer', 'lower', 'price', 'suggest', 'respond'],
  input: z.object({ thread_id: z.string().max(64).describe('Id of the thread'), ...OfferInput }),
  aliases: { thread_id: ['id', 'thread'] },
  output: ThreadOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['POST /v1/threads/:thread_id/offers'] },
  needsSetup: true,
  examples: [{ thread_id: 'thr_0', patch: { price_usd: 10 } }],
  summary: ({ standing }) => `Offered ${standing.price_usd} USD.`,
}).run(({ commit, clock, caller }, { thread_id: id, ...givenTerms }) =>
  commit(async tx => {
    const now = clock.now()
    const account = await requireAccount(tx, caller)
    const { thread, role } = await ownThread(tx, id, account)
    requireUnderWay(thread, now)
    if (thread.state === 'accepted')
      throw new ToolError('conflict', 'The standing offer is accepted; seal it or close the thread.', {
        reason: 'already_accepted',
      })
    requireTurn(thread, role)
    if (thread.offers.length >= maxOffers)
      throw new ToolError('conflict', `A thread has at most ${maxOffers} offers; accept or close it.`, {
        reason: 'too_many_offers',
      })
    const version = thread.offers.length + 1
    const offer = offerOver(lastOffer(thread).terms, givenTerms, { by: role, version, now })
    const nextThread: Thread = {
      ...thread,
      offers: [...thread.offers, offer],
      turn: otherSide(role),
      moved_at: now.toISOString(),
      expires_at: inHours(now, waits.move),
    }
    requireShort(nextThread)
    await threadsIn(tx).put(nextThread)
    await emitEvent(tx, [thread.poster, thread.negotiator], {
      kind: 'offer_made',
      listing: thread.listing,
      thread: thread.id,
    })
    return toPublicThread(nextThread, role, now)
  }),
)
