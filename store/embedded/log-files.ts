import { setImmediate as turn } from 'node:timers/promises'
import { StoreFailure } from '../index.ts'
import type { Disk, DiskFile } from './disk.ts'
import { files, logNumber } from './files.ts'
import { decodeFrame, encodeFrame } from './frame.ts'
import { endOf, type Run, type Topic } from './topics.ts'

type LogFile = { path: string; file: DiskFile; bytes: number; readers: number; isRetired: boolean }

/** A log file that is written, and what its topics are to hold once a checkpoint names it. */
type WrittenLog = {
  runs: ReadonlyMap<Topic, Run[]>
  /** Hands the runs of each topic on, with the number of the last entry that they hold; then files that were merged go. */
  publish(move: (topic: Topic, runs: Run[], base: number) => void): Promise<void>
  discard(): Promise<void>
}

/**
 * Files of entries that a checkpoint has moved out of memory. They are never changed: each checkpoint writes what came since the last one
 * into a new file, together with what smaller files before it hold, so that there are few.
 */
export type LogFiles = {
  /** Opens the files that runs lie in. Throws a StoreFailure where one is missing or shorter than that. */
  open(disk: Disk, dir: string, runs: Iterable<Run>): Promise<void>
  /** The entries of a run, '' where a number belongs to none. Throws a StoreFailure unless they are what was written. */
  read(run: Run): Promise<readonly string[]>
  /** Writes what topics hold in memory; undefined when that is nothing. It counts once the checkpoint that names it is safe. */
  write(disk: Disk, dir: string, topics: Iterable<Topic>): Promise<WrittenLog | undefined>
  /** Removes files that no checkpoint names. */
  tidy(disk: Disk, dir: string): Promise<void>
  close(): Promise<void>
}

const salt = 0
const runBytes = 128 << 10
const syncEvery = 16 << 20
/** Larger files are not written again with what comes behind them. */
const maxMergedBytes = 256 << 20
const maxCachedRuns = 16
const topicsPerTurn = 4096

const damageError = (path: string, offset: number, reason: string): StoreFailure =>
  new StoreFailure(
    `The log entries at byte ${offset} of ${path} cannot be read: ${reason}. Check the disk, and restore the whole directory from a backup.`,
    { lasting: true },
  )

/** Cuts entries into runs and writes them one behind the other. */
const runWriter = (file: DiskFile, number: number) => {
  let frames: Buffer[] = []
  let waiting = 0
  let end = 0
  let unsynced = 0
  const flush = async (): Promise<void> => {
    await file.append(Buffer.concat(frames))
    unsynced += waiting
    frames = []
    waiting = 0
    if (unsynced > syncEvery) await file.sync()
    if (unsynced > syncEvery) unsynced = 0
    await turn()
  }
  return {
    add: async (from: number, lines: readonly string[]): Promise<Run> => {
      const header = JSON.stringify({ from, count: lines.length })
      const frame = encodeFrame(`${header}\n${lines.join('\n')}\n`, salt)
      const run = { file: number, from, count: lines.length, offset: end, length: frame.length }
      frames.push(frame)
      waiting += frame.length
      end += frame.length
      if (waiting >= runBytes) await flush()
      return run
    },
    finish: async (): Promise<number> => {
      await flush()
      await file.sync()
      return end
    },
  }
}

/** No files so far. */
export const openLogFiles = (): LogFiles => {
  const open = new Map<number, LogFile>()
  const cache = new Map<string, readonly string[]>()
  let last = 0

  const closeUnread = async (one: LogFile): Promise<void> => {
    if (one.isRetired && one.readers === 0) await one.file.close()
  }
  const readFrom = async (run: Run): Promise<readonly string[]> => {
    const one = open.get(run.file)
    if (!one) throw damageError(`log.${run.file}`, run.offset, 'the file is closed')
    one.readers++
    try {
      const bytes = await one.file.read(run.offset, run.length)
      const payload = decodeFrame(bytes, 0, salt)
      if (!payload) throw damageError(one.path, run.offset, 'its checksum does not match')
      const [header = '', ...lines] = payload.toString('utf8', 0, payload.length - 1).split('\n')
      if (header !== JSON.stringify({ from: run.from, count: run.count }))
        throw damageError(one.path, run.offset, 'other entries lie there')
      return lines
    } catch (cause) {
      if (cause instanceof StoreFailure) throw cause
      throw damageError(one.path, run.offset, (cause as Error).message)
    } finally {
      one.readers--
      await closeUnread(one)
    }
  }
  /** The last files, as long as they are no larger than what is written behind them. */
  const filesToMerge = (freshBytes: number): Set<number> => {
    const merged = new Set<number>()
    let bytes = freshBytes + runBytes
    for (const [number, one] of [...open].sort(([a], [b]) => b - a)) {
      if (one.bytes > bytes || bytes > maxMergedBytes) break
      merged.add(number)
      bytes += one.bytes
    }
    return merged
  }
  const writeTopic = async (
    topic: Topic,
    merged: ReadonlySet<number>,
    add: (from: number, lines: readonly string[]) => Promise<Run>,
  ): Promise<Run[]> => {
    const runs = topic.runs.filter(({ file }) => !merged.has(file))
    const before = runs.at(-1)
    let from = before ? before.from + before.count : 1
    let lines: string[] = []
    let units = 0
    const addLines = async (more: readonly string[]): Promise<void> => {
      for (const line of more) {
        lines.push(line)
        units += line.length + 1
        if (units < runBytes) continue
        await cut()
      }
    }
    const cut = async (): Promise<void> => {
      if (lines.length === 0) return
      const run = await add(from, lines)
      runs.push(run)
      from += lines.length
      lines = []
      units = 0
    }
    const fresh = topic.entries.slice()
    for (const run of topic.runs) if (merged.has(run.file)) await addLines(await readFrom(run))
    await addLines(fresh)
    await cut()
    return runs
  }
  const retire = async (disk: Disk, numbers: Iterable<number>): Promise<void> => {
    for (const number of numbers) {
      const one = open.get(number)
      if (!one) continue
      open.delete(number)
      one.isRetired = true
      await disk.remove(one.path)
      await closeUnread(one)
    }
  }
  const close = async (): Promise<void> => {
    const all = [...open.values()]
    open.clear()
    for (const { file } of all) await file.close()
  }
  const openFiles = async (disk: Disk, dir: string, runs: Iterable<Run>): Promise<void> => {
    for (const { file: number, offset, length } of runs) {
      const path = files.log(dir, number)
      const known = open.get(number)
      const file = known?.file ?? (await disk.open(path))
      if (!file) throw damageError(path, offset, 'the file is missing')
      const one = known ?? { path, file, bytes: 0, readers: 0, isRetired: false }
      open.set(number, one)
      one.bytes = Math.max(one.bytes, offset + length)
      last = Math.max(last, number)
    }
    for (const { path, file, bytes } of open.values()) {
      const size = await file.size()
      if (size < bytes) throw damageError(path, size, `the file ends there, and had ${bytes} bytes`)
    }
  }
  return {
    open: async (disk, dir, runs) => {
      try {
        await openFiles(disk, dir, runs)
      } catch (problem) {
        await close()
        throw problem
      }
    },
    read: async run => {
      const key = `${run.file}:${run.offset}`
      const lines = cache.get(key) ?? (await readFrom(run))
      cache.delete(key)
      cache.set(key, lines)
      const [oldest] = cache.keys()
      if (cache.size > maxCachedRuns && oldest !== undefined) cache.delete(oldest)
      return lines
    },
    write: async (disk, dir, topics) => {
      const all = [...topics]
      let freshBytes = 0
      for (const { heldBytes } of all) freshBytes += heldBytes
      if (freshBytes === 0) return undefined
      const merged = filesToMerge(freshBytes)
      const number = ++last
      const path = files.log(dir, number)
      const target = await disk.create(path)
      const runs = new Map<Topic, Run[]>()
      const bases = new Map<Topic, number>()
      let bytes = 0
      let file: DiskFile | undefined
      const discard = async (): Promise<void> => {
        await file?.close()
        await disk.remove(path)
      }
      try {
        const writer = runWriter(target, number)
        for (const [n, topic] of all.entries()) {
          if (n % topicsPerTurn === 0) await turn()
          if (topic.entries.length === 0 && !topic.runs.some(run => merged.has(run.file))) continue
          bases.set(topic, endOf(topic))
          runs.set(topic, await writeTopic(topic, merged, writer.add))
        }
        bytes = await writer.finish()
        await disk.syncDir(dir)
        file = await disk.open(path)
        if (!file) throw damageError(path, 0, 'the file vanished')
      } catch (problem) {
        await discard().catch(() => undefined)
        throw problem
      } finally {
        await target.close()
      }
      const reader = file
      return {
        runs,
        discard,
        publish: async move => {
          open.set(number, { path, file: reader, bytes, readers: 0, isRetired: false })
          for (const [topic, its] of runs) move(topic, its, bases.get(topic) ?? 0)
          await retire(disk, merged)
        },
      }
    },
    tidy: async (disk, dir) => {
      for (const name of await disk.list(dir)) {
        const number = logNumber(name)
        if (number === undefined || open.has(number)) continue
        last = Math.max(last, number)
        await disk.remove(files.log(dir, number))
      }
    },
    close,
  }
}
