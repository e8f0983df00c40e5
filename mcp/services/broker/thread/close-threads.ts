import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { emitEvent } from '../event/event.ts'
import { isUnderWay } from './public-thread.ts'
import { placeId, placesIn, type Thread, threadsIn } from './thread.ts'

type End = 'rejected' | 'closed' | 'expired'

/** Ends a thread that was under way and frees its hold. */
export const endThread = async (
  tx: Tx,
  ledger: Ports['ledger'],
  thread: Thread,
  state: End,
): Promise<Thread> => {
  const ended: Thread = { ...thread, state }
  await threadsIn(tx).put(ended)
  await placesIn(tx).delete(placeId(thread))
  await ledger.release(tx, thread.hold)
  const kind = state === 'expired' ? 'thread_expired' : 'thread_closed'
  await emitEvent(tx, [thread.poster, thread.negotiator], {
    kind,
    listing: thread.listing,
    thread: thread.id,
  })
  return ended
}

/** Ends every thread of a listing that is under way but `except`. Returns how many there were. */
export const closeThreads = async (
  tx: Tx,
  ledger: Ports['ledger'],
  listing: string,
  state: End,
  except?: string,
): Promise<number> => {
  let closed = 0
  for (const under of ['open', 'accepted'] as const) {
    const where = { listing, state: under }
    for (;;) {
      const { rows } = await threadsIn(tx).find({ index: 'listing', where, limit: 1000 })
      const others = rows.filter(({ id }) => id !== except)
      for (const thread of others) await endThread(tx, ledger, thread, state)
      closed += others.length
      if (others.length === 0 || rows.length < 1000) break
    }
  }
  return closed
}

/** Ends threads in which nobody moved in time, and frees what is on hold for them. */
export const expireThreads = job({
  name: 'expire-threads',
  every: 60,
  needs: ['store', 'clock', 'ledger'],
}).run(async ({ store, clock, ledger, signal }) => {
  for (const state of ['open', 'accepted'] as const)
    while (!signal.aborted) {
      const where = { state, expires_at: { lte: clock.now().toISOString() } }
      const { rows } = await threadsIn(store).find({ index: 'expiry', where, limit: 100 })
      if (rows.length === 0) break
      for (const { id } of rows)
        await store.transaction(async tx => {
          const thread = await threadsIn(tx).get(id)
          const isOver = thread?.state === state && !isUnderWay(thread, clock.now())
          if (isOver) await endThread(tx, ledger, thread, 'expired')
        })
    }
})

/** Days that a negotiation which led to nothing is kept. */
const retentionDays = 7

/** Forgets negotiations 7 days after their time was over; those of sealed deals go with the deal. */
export const purgeThreads = job({ name: 'purge-threads', every: 300, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const threads = threadsIn(store)
    for (const state of ['rejected', 'closed', 'expired'] as const)
      while (!signal.aborted) {
        const lte = new Date(clock.now().getTime() - retentionDays * dayMs).toISOString()
        const { rows } = await threads.find({
          index: 'expiry',
          where: { state, expires_at: { lte } },
          limit: 100,
        })
        if (rows.length === 0) break
        for (const { id } of rows) await threads.delete(id)
      }
  },
)
