import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { emitEvent } from '../event/event.ts'
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
