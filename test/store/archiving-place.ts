import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store, Tx } from '../../store/index.ts'
import type { Place } from './suite.ts'

/** What a collection declares itself counts, the first time and later. */
const archiving = <T extends Tx>(tx: T, own: Set<string>): T => ({
  ...tx,
  collection: (name, indexes, archive) => {
    const collection = tx.collection(
      name,
      indexes,
      archive ?? (own.has(name) ? undefined : { afterHours: 0 }),
    )
    if (archive) own.add(name)
    return collection
  },
})

/** A store that makes a checkpoint every few writes, and leaves all documents on disk that it finds then. */
export const archivingStore = async (dir: string): Promise<Store> => {
  const store = await openEmbedded({ dir, checkpointAt: 400 })
  const own = new Set<string>()
  return {
    ...archiving(store, own),
    transaction: work => store.transaction(tx => work(archiving(tx, own))),
  }
}

/** An empty folder for such a store. */
export const archivingPlace = async (): Promise<Place> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-archiving-'))
  return { open: () => archivingStore(dir), clean: () => rm(dir, { recursive: true, force: true }) }
}
