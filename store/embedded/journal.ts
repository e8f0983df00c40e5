import { setTimeout as sleep } from 'node:timers/promises'
import type { Availability, StoreFailure } from '../index.ts'
import { batchFrom, type CommitBatch } from './batch.ts'
import type { Disk, DiskFile } from './disk.ts'
import { diskFailure, isFull } from './disk-failure.ts'
import { files } from './files.ts'
import { encodeFrame, type Piece } from './frame.ts'
import { createJournal, firstFrameAt } from './journal-file.ts'

const maxBatchBytes = 4 << 20
/** Larger buffers are not kept for the next batch. */
const maxSpareBytes = 1 << 20
/** A disk has room again when it takes this much more than what it refused. */
const roomToSpare = 1 << 20
const maxPauseMs = 30_000
/** Larger frames let the file grow: what they write is worth a sync of its size. */
const maxSmallFrame = 16 << 10

/** Proves that the disk takes so many bytes, and gives them back. */
const probe = async (disk: Disk, dir: string, bytes: number): Promise<void> => {
  const path = files.probe(dir)
  await disk.remove(path)
  try {
    const file = await disk.create(path)
    try {
      await file.append(Buffer.alloc(bytes, ' '))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await disk.remove(path)
  }
}

/** The records of a commit, as texts and as lines that are bytes already. */
export type Records = readonly (string | { bytes: Buffer; start: number; end: number })[]

/** The journal under way. Commits are numbered 1, 2, 3 … by `push`; each batch of them is one frame and one sync. */
export type CommitJournal = {
  lsn(): number
  durable(): number
  bytes(): number
  /** Bytes that wait for the disk. */
  pending(): number
  failure(): StoreFailure | undefined
  /** The failure that only a restart ends; a full disk is none. */
  stopped(): StoreFailure | undefined
  /** How often a failure has taken commits back so far. */
  failures(): number
  /**
   * Queues one commit. `durable` is called, in order, once it is safe; `undo` instead, from the last commit to the
   * first, when it never will be.
   */
  push(records: Records, durable?: () => void, undo?: () => void): void
  /** Resolves when everything pushed so far is safe. Rejects with a StoreFailure when it never will be. */
  settled(): Promise<void>
  /** As `settled`, where those who ask in one batch get the same promise; its rejection is for one of them to handle. */
  safe(): Promise<void>
  /** Goes on in a new file. Returns the last commit of the old ones and their numbers. */
  swap(): Promise<{ lsn: number; old: number[] }>
  fail(cause: unknown): StoreFailure
  /** Waits for the queue and lets go of the file. */
  close(): Promise<void>
}

/**
 * Begins journal `number` behind commit `lsn`. `last` is the batch that ends there: it is written again, since the
 * process that wrote it may have died, or failed, before its sync. A full disk is tried again after `retryMs`, then after
 * twice as long, and so on up to half a minute; what it refused is cut off before anything new is written.
 */
export const openJournal = async (options: {
  disk: Disk
  dir: string
  number: number
  lsn: number
  last: { from: number; to: number; payload: Buffer } | undefined
  retryMs?: number
  onAvailability?: ((change: Availability) => void) | undefined
}): Promise<CommitJournal> => {
  const { disk, dir, last, retryMs = 1000, onAvailability = () => undefined } = options
  let number = options.number
  let lsn = options.lsn
  let durable = lsn
  let bytes = 0
  /** End of the safe frames in the file under way. */
  let end = firstFrameAt
  /** End of the file under way: zeros lie between. */
  let reserved = firstFrameAt
  let past: number[] = []
  let failures = 0
  let refusedBytes = 0
  const closing = new AbortController()
  let failure: StoreFailure | undefined
  let flushing: Promise<void> | undefined
  let swapping: ((swap: { lsn: number; old: number[] }) => void) | undefined
  let resuming: Promise<void> | undefined
  let inFlight: CommitBatch | undefined
  let current: { file: DiskFile; salt: number } = await createJournal(disk, dir, number, {
    after: lsn,
    ...(last && { again: last.from - 1 }),
  })
  const queue: CommitBatch[] = []
  let spare: Piece | undefined
  const ahead = Buffer.alloc(disk.aheadBytes)

  const write = async (frame: Buffer): Promise<void> => {
    refusedBytes = frame.length
    const next = end + frame.length
    if (next > reserved && frame.length <= maxSmallFrame && ahead.length > 0) await reserve()
    await current.file.write(end, frame)
    await current.file.sync()
    bytes += frame.length
    end = next
    reserved = Math.max(reserved, next)
  }
  /** A disk that has no room for it may have some for the frame. */
  const reserve = async (): Promise<void> => {
    try {
      await current.file.write(reserved, ahead)
      reserved += ahead.length
    } catch (cause) {
      if (!isFull(cause)) throw cause
    }
  }
  const renew = async (): Promise<void> => {
    refusedBytes = 0
    await goOn()
    bytes = 0
    swapping?.({ lsn: durable, old: past })
    past = []
    swapping = undefined
  }
  const goOn = async (): Promise<void> => {
    const next = await createJournal(disk, dir, number + 1, { after: durable })
    const old = current
    current = next
    past.push(number)
    number++
    end = firstFrameAt
    reserved = firstFrameAt
    await old.file.close()
  }
  /** Cuts off what was refused, safely, before anything new is written: it must never be read. */
  const resume = async (): Promise<void> => {
    await disk.truncate(files.journal(dir, number), end)
    await disk.remove(files.journal(dir, number + 1))
    await probe(disk, dir, refusedBytes + roomToSpare)
    await goOn()
  }
  const resumeLater = async (): Promise<void> => {
    for (let pause = retryMs; failure; pause = Math.min(2 * pause, maxPauseMs)) {
      await sleep(pause, undefined, { ref: false, signal: closing.signal })
      try {
        await resume()
        failure = undefined
      } catch (cause) {
        if (!isFull(cause)) failure = diskFailure(cause)
        if (!isFull(cause)) return
      }
    }
    onAvailability({ available: true, detail: 'The disk has room again, and the store takes writes.' })
  }
  const fail = (cause: unknown): StoreFailure => {
    if (failure && !(isFull(failure) && !isFull(cause))) return failure
    const isNew = failure === undefined
    failure = diskFailure(cause)
    failures++
    const lostBatches = [...(inFlight ? [inFlight] : []), ...queue.splice(0)]
    inFlight = undefined
    swapping = undefined
    for (const { undo } of lostBatches.reverse()) for (const one of undo.reverse()) one()
    lsn = durable
    for (const batch of lostBatches) batch.reject(failure)
    if (isNew) onAvailability({ available: false, detail: failure.message })
    if (isNew && isFull(failure))
      resuming = resumeLater()
        .catch(() => undefined)
        .finally(() => {
          resuming = undefined
        })
    return failure
  }
  const flush = async (): Promise<void> => {
    await new Promise(setImmediate)
    while (!failure && (queue.length > 0 || swapping)) {
      if (swapping) await renew()
      inFlight = queue.shift()
      if (!inFlight) continue
      const batch = inFlight
      await write(batch.records.seal({ from: batch.from, to: batch.to }, current.salt))
      if (failure) return
      durable = batch.to
      for (const notify of batch.durable) notify()
      batch.resolve()
      spare = batch.records.buffer.length <= maxSpareBytes ? batch.records : undefined
    }
    inFlight = undefined
  }
  const start = (): void => {
    flushing ??= flush()
      .catch(fail)
      .then(() => {
        flushing = undefined
        if (!failure && (queue.length > 0 || swapping)) start()
      })
  }
  const settled = (): Promise<void> => {
    if (failure && !isFull(failure)) return Promise.reject(failure)
    return (queue.at(-1) ?? inFlight)?.promise ?? Promise.resolve()
  }
  if (last) await write(encodeFrame(last.payload, current.salt))

  return {
    lsn: () => lsn,
    durable: () => durable,
    bytes: () => bytes,
    pending: () => {
      let sum = inFlight ? inFlight.records.bytes() : 0
      for (const { records } of queue) sum += records.bytes()
      return sum
    },
    failure: () => failure,
    stopped: () => (failure && !isFull(failure) ? failure : undefined),
    failures: () => failures,
    push: (records, notify, undo) => {
      if (failure) throw failure
      lsn++
      let batch = queue.at(-1)
      if (!batch || batch.records.bytes() > maxBatchBytes) {
        batch = batchFrom(lsn, spare)
        spare = undefined
        queue.push(batch)
      }
      batch.to = lsn
      for (const one of records)
        if (typeof one === 'string') batch.records.addText(one)
        else batch.records.add(one)
      if (notify) batch.durable.push(notify)
      if (undo) batch.undo.push(undo)
      start()
    },
    settled,
    safe: () => {
      const batch = queue.at(-1) ?? inFlight
      if (!batch || failure) return settled()
      // Not the one that is waited for inside: that one's rejection harms nobody, and this one's must.
      batch.safe ??= batch.promise.then(() => undefined)
      return batch.safe
    },
    swap: () =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure)
        swapping = resolve
        start()
        void flushing?.then(() => failure && reject(failure))
      }),
    fail,
    close: async () => {
      while (flushing) await flushing
      closing.abort()
      await resuming
      await current.file.close()
    },
  }
}
