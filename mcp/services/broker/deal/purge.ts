import { job } from '../../../kernel/job.ts'
import { emitEvent } from '../event/event.ts'
import { threadsIn } from '../thread/thread.ts'
import { dealsIn } from './deal.ts'

/** Forgets the negotiation, terms and contacts of deals 7 days after sealing; hash, receipt, ratings and disputes stay. */
export const purgeDeals = job({ name: 'purge-deals', every: 300, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    while (!signal.aborted) {
      const where = { purged: false, purge_at: { lte: clock.now().toISOString() } }
      const { rows } = await dealsIn(store).find({ index: 'purge', where, limit: 100 })
      if (rows.length === 0) return
      for (const { id, thread, poster, negotiator } of rows)
        await store.transaction(async tx => {
          await dealsIn(tx).update(id, deal => ({ ...deal, terms: null, reveals: null, purged: true }))
          await threadsIn(tx).delete(thread)
          await emitEvent(tx, [poster, negotiator], { kind: 'deal_purged', deal: id })
        })
    }
  },
)
