import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import { threadsIn } from './thread.ts'

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
