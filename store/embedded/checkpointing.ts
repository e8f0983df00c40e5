import type { Disk } from './disk.ts'
import { isFull } from './disk-failure.ts'
import { files } from './files.ts'
import type { StartResult } from './starting.ts'

const maxJournals = 16

/** Makes checkpoints when the journals have grown, one at a time, beside the writers. */
export type Checkpointing = {
  /** Begins one when it is due. */
  consider(): void
  /** Resolves when none is under way. */
  idle(): Promise<void>
  /** Why the last one came to nothing. */
  problem(): string | undefined
}

/**
 * A checkpoint is due when the journals hold `atBytes` and more than the last checkpoint. A full disk puts it off
 * until the new journal has grown as much again; any other failure stops the store.
 */
export const checkpointing = (
  started: StartResult,
  disk: Disk,
  dir: string,
  atBytes: number,
): Checkpointing => {
  const { low, journal, checkpointBytes } = started
  let older = started.journals
  let olderBytes = started.olderBytes
  let underWay: Promise<void> | undefined
  let problem: string | undefined

  const isDue = (): boolean =>
    journal.bytes() + olderBytes > Math.max(atBytes, checkpointBytes()) || older.length > maxJournals

  const make = async (): Promise<void> => {
    const { lsn, old } = await journal.swap()
    older = [...older, ...old]
    olderBytes = 0
    low.data.lsn = lsn
    await low.write()
    const dead = older
    older = []
    for (const one of dead) await disk.remove(files.journal(dir, one))
    problem = undefined
  }
  const giveUp = async (cause: unknown): Promise<void> => {
    if (!isFull(cause)) return void journal.fail(cause)
    problem = `The disk is too full for a checkpoint (${(cause as Error).message}). Writes go on; free some space.`
    await disk.remove(files.unfinished(dir)).catch(() => undefined)
  }
  return {
    consider: () => {
      if (underWay || journal.failure() || !isDue()) return
      underWay = make()
        .catch(giveUp)
        .finally(() => {
          underWay = undefined
        })
    },
    idle: async () => underWay,
    problem: () => problem,
  }
}
