import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { ago, requireRoom } from '../origin.ts'
import { purchasesIn } from './purchase.ts'

/** Purchases that one network address may have prepared within 24 hours without paying them. */
export const maxUnpaidADay = 30

/** Days after its time that an unpaid purchase can still be proven: a transaction may be mined and told of late. */
const retentionDays = 7

/** Throws 429 where an address has had enough prepared that it did not pay. Asked before anything is gathered. */
export const requireUnpaidRoom = (tx: Tx, origin: string, now: Date): Promise<void> =>
  requireRoom({
    rows: purchasesIn(tx),
    index: 'origin',
    where: { origin, state: 'prepared', prepared_at: { gt: ago(now, dayMs) } },
    max: maxUnpaidADay,
    detail: `${maxUnpaidADay} purchases were prepared for this network address within 24 hours and not paid.`,
    reason: 'unpaid_purchases',
    seconds: 3600,
    hint: 'Pay one that is prepared: send its purchase_id and transaction_hash.',
  })

/** Forgets what was prepared and never paid, 7 days after its time. */
export const purgePurchases = job({ name: 'purge-purchases', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const where = { state: 'prepared', expires_at: { lte: ago(clock.now(), retentionDays * dayMs) } }
    while (!signal.aborted) {
      const { rows } = await purchasesIn(store).find({ index: 'state', where, limit: 100 })
      if (rows.length === 0) return
      for (const { id } of rows)
        await store.transaction(async tx => {
          if ((await purchasesIn(tx).get(id))?.state === 'prepared') await purchasesIn(tx).delete(id)
        })
    }
  },
)
