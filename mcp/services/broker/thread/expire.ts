import { job } from '../../../kernel/job.ts'
import { endThread } from './close-threads.ts'
import { isUnderWay } from './public-thread.ts'
import { threadsIn } from './thread.ts'

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
