import { collection } from '../../kernel/collection.ts'
import { job } from '../../kernel/job.ts'
import { dayMs } from '../../lib/time.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Store } from '../../ports/store/port.ts'
import { pruneCalls } from './kept-call.ts'
import { pruneKeys } from './keys.ts'
import { type PaymentRow, paymentRows } from './record.ts'

/** How long the answer of a paid call can be had again with its payment, and how long a payment that failed is known. */
const days = 30

/** Up to where records were pruned; what lies before is not looked at again. */
type Mark = { id: string; until: string }

const marksIn = collection<Mark>({ name: 'payment.pruned', bounded: 'One for each state of a payment.' })

const batch = 200

type Ended = Extract<PaymentRow['state'], 'done' | 'failed'>

const prune = async (store: Store, state: Ended, cutoff: string, signal: AbortSignal): Promise<void> => {
  const marks = marksIn(store)
  const { until = '' } = (await marks.get(state)) ?? {}
  const rows = paymentRows(store)
  let after: string | undefined
  do {
    if (signal.aborted) return
    const where = { state, updated: { gte: until, lt: cutoff } }
    const page = await rows.find({ index: 'state', where, limit: batch, ...(after && { after }) })
    after = page.next
    for (const { id, answer } of page.rows) {
      if (state === 'done' && answer === null) continue
      await store.transaction(async tx => {
        const row = await paymentRows(tx).get(id)
        if (row?.state !== state || row.updated >= cutoff) return
        if (state === 'failed') await paymentRows(tx).delete(id)
        else await paymentRows(tx).put({ ...row, answer: null })
      })
    }
  } while (after !== undefined)
  await marks.put({ id: state, until: cutoff })
}

/**
 * Drops the answers of calls that were paid 30 days ago, and records of payments that moved no money. The record of a
 * payment that moved money stays, and so does what is owed.
 */
export const prunePayments = job({
  name: 'payment-prune',
  every: 3600,
  needs: ['store', 'clock'],
}).run(async ({ store, clock, signal }: { store: Store; clock: Clock; signal: AbortSignal }) => {
  const cutoff = new Date(clock.now().getTime() - days * dayMs).toISOString()
  await prune(store, 'done', cutoff, signal)
  await prune(store, 'failed', cutoff, signal)
  await pruneKeys(store, clock, signal)
  await pruneCalls(store, clock, signal)
})
