import { resolve } from 'node:path'
import { isSameDeclaration } from '../declaration.ts'
import {
  type Availability,
  type Index,
  movingFailure,
  type Store,
  StoreFailure,
  type StoreUse,
  type Tx,
} from '../index.ts'
import { describeUse } from '../use.ts'
import { establishIndexes } from './building.ts'
import { checkpointing } from './checkpointing.ts'
import type { VerbRunner } from './collection.ts'
import { commitView, computeGrowth, hasWritten, toCommitRows } from './commit.ts'
import type { Disk } from './disk.ts'
import { keepEndMark } from './end-mark.ts'
import { type Heap, watchMemory } from './memory.ts'
import { nodeDisk } from './node-disk.ts'
import { recordLines } from './record.ts'
import { openSlices } from './slices.ts'
import { startIn } from './starting.ts'
import { ensureTopic, type Table } from './state.ts'
import { entriesAfter } from './topics.ts'
import { type Attempts, transactions } from './transactions.ts'
import { openTx } from './tx.ts'
import { openView, type View } from './view.ts'

/** Place and limits of the store. `checkpointAt` is in journal bytes, 64 MiB unless told. */
export type EmbeddedOptions = {
  dir: string
  disk?: Disk
  now?: () => Date
  checkpointAt?: number
  /** Hears what listeners of topics throw, and what could not be tidied up on close. */
  report?: (problem: unknown) => void
  /** Bytes it may take in memory before it refuses what is new, by its own estimate. Six tenths of the heap unless told. */
  maxBytes?: number | undefined
  heap?: Heap
  /** Hears what the start has read of the files and dropped, in a sentence. */
  onStart?: (report: string) => void
  /** Hears when writes begin to be refused, and when they are taken again. */
  onAvailability?: (change: Availability) => void
  /** Milliseconds between two marks of how far the files reach, while something is written. */
  markMs?: number
  /** Milliseconds until a full disk is tried again, at first. */
  retryMs?: number
  /** Hears what each slice of work that grows with the data cost, in characters read; see slices.ts. */
  onSlice?: (cost: number) => void
}

const fullDetail = (use: StoreUse): string =>
  `The store is full: ${describeUse(use)}, or the heap is used up. New documents are refused; delete some, raise ` +
  'OCTAGENT_STORE_MAX_MB and --max-old-space-size, or move to PostgreSQL.'

const roomDetail = (isFull: boolean, use: StoreUse): string =>
  isFull
    ? fullDetail(use)
    : `Memory runs out: ${describeUse(use)}, or the heap is nearly used up. Soon writes are refused.`

const fullAway = {
  detail: 'The store is full. It takes nothing new until something is deleted or it is given more room.',
  retryAfter: 30,
}

/**
 * Opens the store of one process in a directory: documents in memory, a lowdb checkpoint and a journal on disk.
 * Throws a StoreFailure when another process has it or its files are damaged; then no file is changed.
 */
export const openEmbedded = async (options: EmbeddedOptions): Promise<Store> => {
  const {
    disk = nodeDisk,
    now = () => new Date(),
    checkpointAt = 64 << 20,
    report = () => undefined,
  } = options
  const dir = resolve(options.dir)
  const { retryMs, onAvailability } = options
  const forJournal = { ...(retryMs !== undefined && { retryMs }), ...(onAvailability && { onAvailability }) }
  const started = await startIn({ journal: forJournal }, disk, dir, now, openSlices(options.onSlice))
  const { journal, low, release } = started
  options.onStart?.(started.report)
  const underWay = new Set<Promise<unknown>>()
  const state = low.data
  let closing: Promise<void> | undefined
  let frozenUntil = 0
  const isFrozen = (): boolean => frozenUntil !== 0 && performance.now() < frozenUntil

  const watch = watchMemory(state.memory, journal.pending, options)
  const room = { share: watch.share, maxBytes: watch.use().maxBytes }
  const checkpoints = checkpointing(started, disk, dir, checkpointAt, room)
  const endMark = keepEndMark(disk, dir, journal, options.markMs ?? 5000)
  let wasFull = false

  const check = (): void => {
    const failure = journal.failure()
    if (failure) throw failure
  }
  /** Memory that has run out refuses what is new; what is there may be read, changed a little and deleted. */
  const checkRoom = ({ bytes, adds }: { bytes: number; adds: boolean }): void => {
    const room = watch.room()
    const isFull = room === 'full' || room === 'spent'
    if (isFull !== wasFull) {
      wasFull = isFull
      options.onAvailability?.({
        available: !isFull,
        detail: isFull ? fullDetail(watch.use()) : 'The store has room in memory again.',
      })
    }
    if (isFull) checkpoints.consider()
    if (bytes > 0 && (room === 'spent' || (room === 'full' && adds)))
      throw new StoreFailure(fullDetail(watch.use()), { away: fullAway })
    watch.grew(Math.max(0, bytes))
  }
  /** While the disk is full, memory holds what the files hold, and goes on being read. */
  const checkReadable = (): void => {
    const failure = journal.stopped()
    if (failure) throw failure
  }
  const admit = (): void => {
    checkReadable()
    if (closing) throw new StoreFailure('The store is closed.')
  }
  const tracked = <R>(work: Promise<R>): Promise<R> => {
    underWay.add(work)
    const onDone = (): void => void underWay.delete(work)
    work.then(onDone, onDone)
    return work
  }
  const apply = (view: View): void => {
    checkReadable()
    if (!hasWritten(view)) return
    if (isFrozen()) throw movingFailure()
    check()
    const rows = toCommitRows(view)
    checkRoom(computeGrowth(rows, view))
    const time = now()
    state.arena.setTime(time.getTime())
    commitView(state, journal, { view, rows }, time, report)
    checkpoints.consider()
  }
  /** Files keep declarations too, so that the next start builds these indexes before it takes calls. */
  const declare = (table: Table, indexes: readonly Index[]): void => {
    table.declared = indexes
    const settled = journal.settled().catch(() => undefined)
    if (!isSameDeclaration(table.indexes, indexes) && !journal.failure() && !closing && !isFrozen())
      journal.push([recordLines.indexes(table.name, indexes)])
    void establishIndexes(table, indexes, state.memory, openSlices(options.onSlice), settled)
  }
  const begin: Attempts['begin'] = () => {
    let isOver = false
    const view = openView(state, true)
    const verb = async <R>(table: Table | undefined, work: (view: View) => R): Promise<R> => {
      while (table?.building) await table.building
      if (isOver) throw new Error('the transaction is over: await its verbs inside of it')
      checkReadable()
      return work(view)
    }
    const end = (): void => {
      isOver = true
    }
    return { tx: openTx(state, { read: verb, write: verb }, declare, now), view, end }
  }
  const { run, gate, isGated } = transactions({ begin, commit: apply, settled: journal.settled })

  /** For work that is over in an instant: one view serves it all, unless code of a caller, run by the work, begins another. */
  let idleView: View | undefined
  const inInstant = <R>(work: (view: View) => R): R => {
    const view = idleView ?? openView(state, false)
    idleView = undefined
    try {
      return work(view)
    } finally {
      view.clear()
      idleView = view
    }
  }
  /** Runs in this instant; what it comes to is told when all is safe. */
  const writeNow = <R>(verb: (view: View) => R): Promise<R> => {
    check()
    try {
      const result = inInstant(view => {
        const outcome = verb(view)
        apply(view)
        return outcome
      })
      // Those who hear nothing but that it is safe hear it from the same promise.
      return result === undefined ? (journal.safe() as Promise<R>) : journal.safe().then(() => result)
    } catch (problem) {
      return journal.settled().then(() => {
        throw problem
      })
    }
  }
  const writeLater = async <R>(table: Table | undefined, verb: (view: View) => R): Promise<R> => {
    const wait = gate()
    if (wait) await wait
    while (table?.building) await table.building
    return writeNow(verb)
  }
  const single: VerbRunner = {
    read: async (table, verb) => {
      admit()
      while (table.building) await table.building
      return inInstant(verb)
    },
    write: (table, verb) => {
      try {
        admit()
        if (!isGated() && !table?.building) return writeNow(verb)
        return tracked(writeLater(table, verb))
      } catch (problem) {
        return Promise.reject(problem)
      }
    },
  }
  const tx: Tx = openTx(state, single, declare, now)

  const shutDown = async (): Promise<void> => {
    await Promise.allSettled(underWay)
    await checkpoints.idle()
    await journal.close()
    await state.archive.close().catch(report)
    await state.logs.close().catch(report)
    await endMark.close().catch(report)
    await release().catch(report)
  }
  checkpoints.consider()

  return {
    ...tx,
    transaction: async work => {
      admit()
      return tracked(run(work))
    },
    read: async (name, after, limit) => {
      admit()
      return entriesAfter(state.logs, ensureTopic(state, name), after, limit)
    },
    subscribe: (name, onEntry) => {
      const { listeners } = ensureTopic(state, name)
      const listener: typeof onEntry = entry => onEntry(entry)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    health: async () => {
      const failed = journal.failure()?.message ?? (closing && 'The store is closed.')
      const room = watch.room()
      const isFull = room === 'full' || room === 'spent'
      const ok = failed === undefined && !isFull
      const problem = state.archive.problem() ?? checkpoints.problem()
      const detail = failed ?? (room === 'spacious' ? problem : roomDetail(isFull, watch.use()))
      return {
        ok,
        engine: 'embedded',
        ...(ok && detail !== undefined && { degraded: true }),
        ...(detail !== undefined && { detail }),
      }
    },
    use: watch.use,
    freeze: async seconds => {
      admit()
      frozenUntil = performance.now() + seconds * 1000
      await checkpoints.idle()
      await journal.settled()
      return journal.lsn()
    },
    close: () => {
      closing ??= shutDown()
      return closing
    },
  }
}
