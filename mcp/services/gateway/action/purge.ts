import { deleteRows } from '../../../kernel/collection.ts'
import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { probesIn } from '../callability/history.ts'
import { ago, requireRoom } from '../origin.ts'
import { actionsIn } from './action.ts'

/** Actions that are begun from one network address within 24 hours, with whatever keys. */
export const maxADay = 300

/** Throws 429 where an address has begun as many actions as it may. Asked before anybody is contacted. */
export const requireActionRoom = (tx: Tx, origin: string, now: Date): Promise<void> =>
  requireRoom({
    rows: actionsIn(tx),
    index: 'origin',
    where: { origin, created_at: { gt: ago(now, dayMs) } },
    max: maxADay,
    detail: `${maxADay} actions were begun from this network address within 24 hours.`,
    reason: 'actions_of_the_day',
    seconds: 3600,
    hint: 'Read the actions that you have.',
  })

/** Milliseconds after which nobody is at work on an action any more: a probe takes 40 seconds at most. */
const abandonedMs = 10 * 60_000
const retentionDays = { actions: 30, probes: 90 } as const

/** Ends actions whose program has gone, and forgets actions after 30 days and what was found of others after 90. */
export const purgeActions = job({ name: 'purge-actions', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const now = clock.now()
    const actions = actionsIn(store)
    for (const state of ['claimed', 'selected', 'invoking'] as const)
      while (!signal.aborted) {
        const where = { state, updated_at: { lte: ago(now, abandonedMs) } }
        const { rows } = await actions.find({ index: 'state', where, limit: 100 })
        if (rows.length === 0) break
        for (const { id } of rows)
          await actions.update(id, action =>
            action.state === state
              ? {
                  ...action,
                  state: 'ambiguous',
                  status: 'ambiguous',
                  failure_class: 'unknown_delivery_state',
                  updated_at: now.toISOString(),
                }
              : action,
          )
      }
    const old = (days: number) => ({ lte: ago(now, days * dayMs) })
    await deleteRows(actions, { index: 'age', where: { created_at: old(retentionDays.actions) } }, signal)
    await deleteRows(probesIn(store), { index: 'age', where: { at: old(retentionDays.probes) } }, signal)
  },
)
