import { job } from '../../../kernel/job.ts'
import { artifactsIn, toFileOwner } from './artifact.ts'

/** Drops artifacts and drafts whose time is over, and the bytes that nobody else has. */
export const sweepArtifacts = job({
  name: 'sweep-artifacts',
  every: 600,
  needs: ['store', 'clock', 'files'],
}).run(async ({ store, clock, files, signal }) => {
  while (!signal.aborted) {
    const now = clock.now().toISOString()
    const where = { expires_at: { lte: now } }
    const { rows } = await artifactsIn(store).find({ index: 'expiry', where, limit: 100 })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        const artifact = await artifactsIn(tx).get(id)
        if (!artifact || artifact.expires_at > now) return
        await artifactsIn(tx).delete(id)
        await files.release(tx, artifact.sha256, toFileOwner(id))
      })
  }
  await files.sweep(signal)
})
