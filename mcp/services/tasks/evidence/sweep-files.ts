import { job } from '../../../kernel/job.ts'
import { filesIn, toOwner } from './file.ts'

/** Drops files that were never sent, or that no submission named in time; the bytes stay while anybody else has the same. */
export const sweepFiles = job({ name: 'sweep-files', every: 600, needs: ['store', 'clock', 'files'] }).run(
  async ({ store, clock, files, signal }) => {
    for (const state of ['pending', 'stored'] as const)
      while (!signal.aborted) {
        const where = { state, expires_at: { lte: clock.now().toISOString() } }
        const { rows } = await filesIn(store).find({ index: 'state', where, limit: 100 })
        if (rows.length === 0) break
        for (const { id, sha256 } of rows) {
          await store.transaction(async tx => {
            const file = await filesIn(tx).get(id)
            if (file?.state !== state) return
            await filesIn(tx).delete(id)
            await files.release(tx, sha256, toOwner(id))
          })
          if (state === 'pending') await files.direct?.discard(id)
        }
      }
    await files.sweep(signal)
  },
)
