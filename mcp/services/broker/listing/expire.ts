import { job } from '../../../kernel/job.ts'
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
