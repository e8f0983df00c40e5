import { collection } from '../../kernel/collection.ts'
import { job } from '../../kernel/job.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { ProvenTip, Transfers } from '../../ports/transfers/port.ts'
import { feed, feedingsIn, feedingUsd, type Purr, readPurr } from './feeding.ts'

/** USD that a direct transfer must have to count as a feeding. */
export const minTip = feedingUsd

/**
 * Counts a proven transfer as a feeding, once: whoever comes later, job or claim, gets the purr of the first time.
 * Undefined when the transfer has paid for something else.
 */
export const creditTip = async (
  tx: Tx,
  transfers: Transfers,
  { log, network, transaction, payer, usd }: ProvenTip,
  now: Date,
): Promise<Purr | undefined> => {
  const id = `tip:${log}`
  const before = await feedingsIn(tx).get(id)
  if (before) return readPurr(before)
  if (!(await transfers.spend(tx, log, id))) return undefined
  return feed(tx, { id, network, transaction, payer }, { kind: 'tip', amount_usd: usd }, now)
}

type WatchCursor = { id: 'base'; block: string }

const watchCursorsIn = collection<WatchCursor>({ name: 'cat.tip-watch', bounded: 'One.' })

/** Finds direct transfers to the cat on Base and counts each as a feeding, also when nobody claims it. */
export const watchTips = job({ name: 'watch-tips', every: 15, needs: ['store', 'clock', 'transfers'] }).run(
  async ({ store, clock, transfers, signal }) => {
    const watchCursors = watchCursorsIn(store)
    let after = (await watchCursors.get('base'))?.block
    while (!signal.aborted) {
      const { upTo, tips } = await transfers.listIncoming('base', after, minTip)
      for (const tip of tips) await store.transaction(tx => creditTip(tx, transfers, tip, clock.now()))
      if (upTo === after) return
      after = upTo
      await watchCursors.put({ id: 'base', block: upTo })
    }
  },
)
