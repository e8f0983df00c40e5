import { files } from '../store/embedded/files.ts'
import { nodeDisk } from '../store/embedded/node-disk.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import type { Store } from '../store/index.ts'
import { type Gaps, watchGaps } from './gaps.ts'

/** When a checkpoint began and ended, by `performance.now()`. */
export type Checkpoint = { began: number; ended: number }

export type ObservedStore = { store: Store; checkpoints: Checkpoint[]; gaps: Gaps }

/** Opens an embedded store on a disk that tells when checkpoints were made. */
export const openObserved = async (dir: string, checkpointAt?: number): Promise<ObservedStore> => {
  const checkpoints: Checkpoint[] = []
  let began = 0
  const store = await openEmbedded({
    dir,
    ...(checkpointAt !== undefined && { checkpointAt }),
    disk: {
      ...nodeDisk,
      create: (path, writes) => {
        if (path === files.unfinished(dir)) began = performance.now()
        return nodeDisk.create(path, writes)
      },
      rename: async (from, to) => {
        await nodeDisk.rename(from, to)
        if (from === files.unfinished(dir)) checkpoints.push({ began, ended: performance.now() })
      },
    },
  })
  return { store, checkpoints, gaps: watchGaps() }
}
