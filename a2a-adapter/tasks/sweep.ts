import { job } from '../../mcp/kernel/job.ts'
import { change, settled, taskRows } from './row.ts'

/** Ends tasks whose process died while they were working, and drops tasks that nothing happened to for seven days. */
export const sweepTasks = job({ name: 'a2a-task-sweep', every: 600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const rows = taskRows(store)
    while (!signal.aborted) {
      const now = clock.now()
      const where = { deadline: { gt: '', lt: now.toISOString() } }
      const late = await rows.find({ index: 'deadline', where, limit: 500 })
      for (const { id } of late.rows)
        await change(
          rows,
          id,
          row => settled(row, now) !== row,
          row => settled(row, now),
        )
      const old = await rows.find({
        index: 'expires',
        where: { expires: { lt: now.toISOString() } },
        limit: 500,
      })
      for (const { id } of old.rows) await rows.delete(id)
      if (late.next === undefined && old.next === undefined) return
    }
  },
)
