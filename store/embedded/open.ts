import { resolve } from 'node:path'
import { isSameDeclaration } from '../declaration.ts'
import { type Index, type Store, StoreFailure, type Tx } from '../index.ts'
import { establishIndexes } from './building.ts'
import { checkpointing } from './checkpointing.ts'
import { writeClosingMark } from './closing-mark.ts'
import type { Run } from './collection.ts'
import { commit } from './commit.ts'
import type { Disk } from './disk.ts'
import { nodeDisk } from './node-disk.ts'
import { record } from './record.ts'
import { openSlices } from './slices.ts'
import { startIn } from './starting.ts'
import { type Table, topicOf } from './state.ts'
import { entryAt } from './topics.ts'
import { type Attempts, transactions } from './transactions.ts'
import { txOf } from './tx.ts'
import { type View, viewOf } from './view.ts'

/** Where the store lives and what it may use. `checkpointAt` is in journal bytes, 64 MiB unless told. */
export type EmbeddedOptions = {
  dir: string
  disk?: Disk
  now?: () => Date
  checkpointAt?: number
  /** Hears what listeners of topics throw, and what could not be tidied up on close. */
  report?: (problem: unknown) => void
  /** Hears what each slice of work that grows with the data cost, in characters read; see slices.ts. */
  onSlice?: (cost: number) => void
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
  const started = await startIn(disk, dir, now, openSlices(options.onSlice))
  const { journal, low, release } = started
  const checkpoints = checkpointing(started, disk, dir, checkpointAt)
  const underWay = new Set<Promise<unknown>>()
  const state = low.data
  let closing: Promise<void> | undefined

  const check = (): void => {
    const failure = journal.failure()
    if (failure) throw failure
  }
  const admit = (): void => {
    check()
    if (closing) throw new StoreFailure('The store is closed.')
  }
  const tracked = <R>(work: Promise<R>): Promise<R> => {
    underWay.add(work)
    const done = (): void => void underWay.delete(work)
    work.then(done, done)
    return work
  }
  const apply = (view: View): void => {
    check()
    commit(state, journal, view, now(), report)
    checkpoints.consider()
  }
  /** Files keep declarations too, so that the next start builds these indexes before it takes calls. */
  const declare = (table: Table, indexes: readonly Index[]): void => {
    table.declared = indexes
    if (!isSameDeclaration(table.indexes, indexes) && !journal.failure() && !closing)
      journal.push(record.indexes(table.name, indexes))
    void establishIndexes(table, indexes, state.memory, openSlices(options.onSlice))
  }
  const begin: Attempts['begin'] = () => {
    let isOver = false
    const view = viewOf(state, true)
    const verb = async <R>(table: Table | undefined, work: (view: View) => R): Promise<R> => {
      while (table?.building) await table.building
      if (isOver) throw new Error('the transaction is over: await its verbs inside of it')
      check()
      return work(view)
    }
    const end = (): void => {
      isOver = true
    }
    return { tx: txOf(state, { read: verb, write: verb }, declare, now), view, end }
  }
  const { run, gate } = transactions({ begin, commit: apply, settled: journal.settled })

  const write = async <R>(table: Table | undefined, verb: (view: View) => R): Promise<R> => {
    const wait = gate()
    if (wait) await wait
    while (table?.building) await table.building
    check()
    const view = viewOf(state, false)
    try {
      const result = verb(view)
      apply(view)
      return result
    } finally {
      await journal.settled()
    }
  }
  const single: Run = {
    read: async (table, verb) => {
      admit()
      while (table.building) await table.building
      return verb(viewOf(state, false))
    },
    write: async (table, verb) => {
      admit()
      return tracked(write(table, verb))
    },
  }
  const tx: Tx = txOf(state, single, declare, now)

  const shutDown = async (): Promise<void> => {
    await Promise.allSettled(underWay)
    await checkpoints.idle()
    await journal.close()
    if (!journal.failure()) await writeClosingMark(disk, dir, journal.lsn()).catch(report)
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
      const topic = topicOf(state, name)
      const last = Math.min(topic.durable, after + limit)
      return Array.from({ length: Math.max(0, last - after) }, (_, n) => entryAt(topic, after + 1 + n))
    },
    subscribe: (name, onEntry) => {
      const { listeners } = topicOf(state, name)
      const listener: typeof onEntry = entry => onEntry(entry)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    health: async () => {
      const failed = journal.failure()?.message ?? (closing && 'The store is closed.')
      const detail = failed ?? checkpoints.problem()
      return { ok: failed === undefined, engine: 'embedded', ...(detail !== undefined && { detail }) }
    },
    close: () => {
      closing ??= shutDown()
      return closing
    },
  }
}
