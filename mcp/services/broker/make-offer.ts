import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { accountOf } from './account/caller.ts'
import { tell } from './event/event.ts'
import { inHours, mostOffers, OfferInput, offerOver, requireShort, waits } from './thread/move.ts'
import { ownThread, requireTurn, requireUnderWay } from './thread/own.ts'
import { shown, standingOf, ThreadOut } from './thread/shown.ts'
import { otherSide, type Thread, threadsIn } from './thread/thread.ts'

export default tool({
  name: 'make_offer',
  title: 'Make the next offer',
  description:
    "Answers the other side's offer with your own: free text, a change of the terms, or both. Then it is the other side's turn. Free.",
  input: z.object({ id: z.string().max(64).describe('Id of the thread'), ...OfferInput }),
  output: ThreadOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['negotiation', 'free'] },
  rest: { routes: ['POST /v1/threads/:id/offers'] },
  staged: true,
  examples: [{ id: 'thr_0', patch: { price_usd: 10 } }],
  say: ({ standing }) => `Offered ${standing.price_usd} USD.`,
}).run(({ commit, clock, caller }, { id, ...given }) =>
  commit(async tx => {
    const now = clock.now()
    const account = await accountOf(tx, caller)
    const { thread, role } = await ownThread(tx, id, account)
    requireUnderWay(thread, now)
    if (thread.state === 'accepted')
      throw new ToolError('conflict', 'The standing offer is accepted; seal it or close the thread.', {
        reason: 'already_accepted',
      })
    requireTurn(thread, role)
    if (thread.offers.length >= mostOffers)
      throw new ToolError('conflict', `A thread has at most ${mostOffers} offers; accept or close it.`, {
        reason: 'too_many_offers',
      })
    const version = thread.offers.length + 1
    const offer = offerOver(standingOf(thread).terms, given, { by: role, version, now })
    const moved: Thread = {
      ...thread,
      offers: [...thread.offers, offer],
      turn: otherSide(role),
      moved_at: now.toISOString(),
      expires_at: inHours(now, waits.move),
    }
    requireShort(moved)
    await threadsIn(tx).put(moved)
    await tell(tx, [thread.poster, thread.negotiator], {
      kind: 'offer_made',
      listing: thread.listing,
      thread: thread.id,
    })
    return shown(moved, role, now)
  }),
)
