import { Low } from 'lowdb'
import { type Availability, StoreFailure } from '../index.ts'
import { rebuildIndexes } from './building.ts'
import { checkpointAdapter } from './checkpoint.ts'
import type { Disk } from './disk.ts'
import { checkEndMark } from './end-mark.ts'
import { files } from './files.ts'
import { type CommitJournal, openJournal } from './journal.ts'
import { lock } from './lock.ts'
import { checkMarks } from './marks.ts'
import { recover } from './recovery.ts'
import type { Slices } from './slices.ts'
import { startReport } from './start-report.ts'
import { emptyState, type State } from './state.ts'

/** Parts of a started store. `journals` are the numbers of journals that a checkpoint makes superfluous. */
export type StartResult = {
  low: Low<State>
  journal: CommitJournal
  journals: number[]
  /** Bytes in older journals, which a start has to read. */
  olderBytes: number
  checkpointBytes: () => number
  /** Data read and dropped, in a sentence. */
  report: string
  release: () => Promise<void>
}

type StartOptions = { journal: { retryMs?: number; onAvailability?: (change: Availability) => void } }

const start = async (
  options: StartOptions,
  disk: Disk,
  dir: string,
  now: () => Date,
  slices: Slices,
): Promise<Omit<StartResult, 'release'>> => {
  let journal: CommitJournal | undefined
  const adapter = checkpointAdapter({
    disk,
    dir,
    now,
    lsn: () => journal?.lsn() ?? 0,
    settled: async () => journal?.settled(),
    failures: () => journal?.failures() ?? 0,
    slices,
  })
  const low = new Low(adapter, emptyState())
  const recovered = await recover(disk, dir, low, () => adapter.facts, slices)
  const { lsn, last, tails, numbers, bytes } = recovered
  const report = startReport(recovered, adapter.facts)
  const tail = tails.at(-1)
  await checkEndMark(disk, dir, lsn, tail ? `${tail.path}, byte ${tail.at}` : dir)
  for (const { path, at } of tails) await disk.truncate(path, at)
  await disk.remove(files.unfinished(dir))
  await disk.remove(files.closing(dir))
  await disk.remove(files.probe(dir))
  await low.data.logs.tidy(disk, dir)
  await rebuildIndexes(low.data.tables.values(), low.data.memory, slices)
  journal = await openJournal({ disk, dir, number: (numbers.at(-1) ?? 0) + 1, lsn, last, ...options.journal })
  return {
    low,
    journal,
    journals: numbers,
    olderBytes: bytes,
    checkpointBytes: () => adapter.facts.bytes,
    report,
  }
}

/** Locks the directory, reads what is there and opens a new journal. Throws a StoreFailure and leaves all as it was. */
export const startIn = async (
  options: StartOptions,
  disk: Disk,
  dir: string,
  now: () => Date,
  slices: Slices,
): Promise<StartResult> => {
  try {
    await disk.makeDir(dir)
    const release = await lock(disk, dir)
    try {
      await checkMarks(disk, dir)
      return { ...(await start(options, disk, dir, now, slices)), release }
    } catch (problem) {
      await release()
      throw problem
    }
  } catch (problem) {
    if (problem instanceof StoreFailure) throw problem
    const { message } = problem as Error
    throw new StoreFailure(`The store in ${dir} cannot start: ${message}`, { cause: problem })
  }
}
