import { setImmediate as turn } from 'node:timers/promises'
import { ArchiveFailure } from './archive.ts'
import type { Disk } from './disk.ts'
import { isFull } from './disk-failure.ts'
import { files } from './files.ts'
import type { StartResult } from './starting.ts'
import { archivableBytes } from './state.ts'

const maxJournals = 16
/** How much of the limit in memory is used when what may be archived is archived however new it is. */
const needAt = 0.7
/** Of the limit: how much must be gained by that, and how long journals may become where something is archived. */
const worthwhile = 1 / 16
const maxJournalShare = 1 / 4

/** How much memory there is, and which part of it is used. */
export type MemoryRoom = { share(): number; maxBytes: number }

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
 * A checkpoint is due when the journals hold `atBytes` and more than the last checkpoint, or than a quarter of what memory may hold where
 * it could archive a part; and when memory runs out and archiving helps. A full disk puts it off until the new journal has grown as much
 * again, and so does an archived document that cannot be read; any other failure stops the store.
 */
export const checkpointing = (
  started: StartResult,
  disk: Disk,
  dir: string,
  atBytes: number,
  room: MemoryRoom,
): Checkpointing => {
  const { low, journal, checkpointBytes } = started
  let older = started.journals
  let olderBytes = started.olderBytes
  let underWay: Promise<void> | undefined
  let problem: string | undefined

  const helps = (): boolean => archivableBytes(low.data) > room.maxBytes * worthwhile
  const isInNeed = (): boolean => room.share() > needAt && helps()
  const isDue = (): boolean => {
    const bytes = journal.bytes() + olderBytes
    if (bytes > Math.max(atBytes, checkpointBytes())) return true
    if (bytes > Math.max(atBytes, room.maxBytes * maxJournalShare) && helps()) return true
    // What came to nothing is not tried with each write.
    return problem === undefined && (older.length > maxJournals || isInNeed())
  }
  /** Pages of the arena that were left are given back: nobody may write for a long time. */
  const giveBack = async (): Promise<void> => {
    const { arena, archive } = low.data
    while (arena.tidy(journal.lsn(), journal.durable())) await turn()
    arena.tidy(journal.lsn(), journal.durable())
    archive.tidy(journal.lsn(), journal.durable())
  }
  const make = async (): Promise<void> => {
    const { lsn, old } = await journal.swap()
    older = [...older, ...old]
    olderBytes = 0
    low.data.lsn = lsn
    low.data.inNeed = isInNeed()
    await low.write()
    const dead = older
    older = []
    for (const one of dead) await disk.remove(files.journal(dir, one))
    problem = undefined
    await giveBack()
  }
  const giveUp = async (cause: unknown): Promise<void> => {
    if (cause instanceof ArchiveFailure) problem = cause.message
    else if (!isFull(cause)) return void journal.fail(cause)
    else
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
