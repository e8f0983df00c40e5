import { job } from '../../mcp/kernel/job.ts'
import { change, dropExpired, settleTask, taskRows } from './row.ts'

const batch = 100

/** Ends tasks whose process died while they were working, and drops tasks whose time is over. */
export const sweepTasks = job({ name: 'a2a-task-sweep', every: 60, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const rows = taskRows(store)
    while (!signal.aborted) {
      const now = clock.now()
      const where = { deadline: { gt: '', lt: now.toISOString() } }
      const late = await rows.find({ index: 'deadline', where, limit: batch })
      for (const { id } of late.rows)
        await change(
          store,
          id,
          row => settleTask(row, now) !== row,
          row => settleTask(row, now),
        )
      const old = await rows.find({
        index: 'expires',
        where: { expires: { lt: now.toISOString() } },
        limit: batch,
      })
      const ids = old.rows.map(({ id }) => id)
      if (ids.length > 0) await dropExpired(store, ids, now.toISOString())
      if (late.next === undefined && old.next === undefined) return
    }
  },
)
