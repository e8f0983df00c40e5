import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import { listingsIn } from './listing.ts'

/** Days that a listing is kept after its time: its owner reads what became of it, a search still passes over it. */
const retentionDays = 30

/** Forgets listings 30 days after their time, however they ended. A deal keeps the hash of its terms. */
export const purgeListings = job({ name: 'purge-listings', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const listings = listingsIn(store)
    const lte = new Date(clock.now().getTime() - retentionDays * dayMs).toISOString()
    for (const state of ['closed', 'expired', 'withdrawn'] as const)
      while (!signal.aborted) {
        const where = { state, expires_at: { lte } }
        const { rows } = await listings.find({ index: 'expiry', where, limit: 100 })
        if (rows.length === 0) break
        for (const { id } of rows) await listings.delete(id)
      }
  },
)
