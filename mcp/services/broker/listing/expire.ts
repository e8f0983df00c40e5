import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import { emitEvent } from '../event/event.ts'
import { closeThreads } from '../thread/close-threads.ts'
import { listingsIn } from './listing.ts'

/** Ends listings whose time is over, and what was negotiated over them. */
export const expireListings = job({
  name: 'expire-listings',
  every: 60,
  needs: ['store', 'clock', 'ledger'],
}).run(async ({ store, clock, ledger, signal }) => {
  while (!signal.aborted) {
    const where = { state: 'live' as const, expires_at: { lte: clock.now().toISOString() } }
    const { rows } = await listingsIn(store).find({ index: 'expiry', where, limit: 100 })
    if (rows.length === 0) return
    for (const { id } of rows)
      await store.transaction(async tx => {
        const listing = await listingsIn(tx).get(id)
        if (listing?.state !== 'live') return
        await listingsIn(tx).put({ ...listing, state: 'expired' })
        await closeThreads(tx, ledger, id, 'closed')
        await emitEvent(tx, [listing.account], { kind: 'listing_expired', listing: id })
      })
  }
})

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
