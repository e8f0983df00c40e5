import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import { dropWorkspace, idleDays, leftoversIn, toArchiveOwner, workspacesIn } from './workspace.ts'

const maxRows = 100

/** Empties workspaces that nobody used for 30 days, and removes what no workspace needs any more. */
export const sweepWorkspaces = job({
  name: 'sweep-workspaces',
  every: 600,
  needs: ['store', 'clock', 'files'],
}).run(async ({ store, clock, files, signal }) => {
  const lte = new Date(clock.now().getTime() - idleDays * dayMs).toISOString()
  while (!signal.aborted) {
    const { rows } = await workspacesIn(store).find({
      index: 'use',
      where: { used_at: { lte } },
      limit: maxRows,
    })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        const workspace = await workspacesIn(tx).get(id)
        if (workspace && workspace.used_at <= lte) await dropWorkspace(tx, id, clock.now())
      })
  }
  while (!signal.aborted) {
    const where = { remove_after: { lte: clock.now().toISOString() } }
    const { rows } = await leftoversIn(store).find({ index: 'time', where, limit: maxRows })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        await files.release(tx, id, toArchiveOwner(id))
        await leftoversIn(tx).delete(id)
      })
  }
  await files.sweep(signal)
})
