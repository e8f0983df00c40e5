import { setImmediate as turn } from 'node:timers/promises'
import type { StoreFailure } from '../index.ts'
import { type Batch, batchFrom } from './batch.ts'
import type { Disk, DiskFile } from './disk.ts'
import { diskFailure } from './disk-failure.ts'
import { encodeFrame } from './frame.ts'
import { createJournal } from './journal-file.ts'
import { encodePayload } from './record.ts'

const largestBatch = 4 << 20

/** The journal under way. Commits are numbered 1, 2, 3 … by `push`; each batch of them is one frame and one sync. */
export type Journal = {
  lsn(): number
  durable(): number
  bytes(): number
  failure(): StoreFailure | undefined
  /** Queues one commit; `durable` is called, in order, once it is safe. */
  push(records: string, durable?: () => void): void
  /** Resolves when everything pushed so far is safe. Rejects with a StoreFailure when it never will be. */
  settled(): Promise<void>
  /** Goes on in a new file. Returns the last commit of the old ones and the number of the new one. */
  swap(): Promise<{ lsn: number; journal: number }>
  fail(cause: unknown): StoreFailure
  /** Waits for the queue and lets go of the file. */
  close(): Promise<void>
}

/**
 * Begins journal `number` behind commit `lsn`. `last` is the batch that ends there: it is written again, since the
 * process that wrote it may have died, or failed, before its sync.
 */
export const openJournal = async (options: {
  disk: Disk
  dir: string
  number: number
  lsn: number
  last: { from: number; to: number; payload: Buffer } | undefined
}): Promise<Journal> => {
  const { disk, dir, last } = options
  let number = options.number
  let lsn = options.lsn
  let durable = lsn
  let bytes = 0
  let failure: StoreFailure | undefined
  let flushing: Promise<void> | undefined
  let swapping: ((made: { lsn: number; journal: number }) => void) | undefined
  let inFlight: Batch | undefined
  let current: { file: DiskFile; salt: number } = await createJournal(disk, dir, number, {
    after: lsn,
    ...(last && { again: last.from - 1 }),
  })
  const queue: Batch[] = []

  const write = async (payload: string | Buffer): Promise<void> => {
    const frame = encodeFrame(payload, current.salt)
    await current.file.append(frame)
    await current.file.sync()
    bytes += frame.length
  }
  const renew = async (): Promise<void> => {
    const next = await createJournal(disk, dir, number + 1, { after: durable })
    const old = current
    current = next
    number++
    bytes = 0
    await old.file.close()
    swapping?.({ lsn: durable, journal: number })
    swapping = undefined
  }
  const fail = (cause: unknown): StoreFailure => {
    failure ??= diskFailure(cause)
    inFlight?.reject(failure)
    for (const batch of queue.splice(0)) batch.reject(failure)
    return failure
  }
  const flush = async (): Promise<void> => {
    await turn()
    while (!failure && (queue.length > 0 || swapping)) {
      if (swapping) await renew()
      inFlight = queue.shift()
      if (!inFlight) continue
      const batch = inFlight
      await write(encodePayload({ from: batch.from, to: batch.to }, batch.records))
      durable = batch.to
      for (const tell of batch.durable) tell()
      batch.resolve()
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
  if (last) await write(last.payload)

  return {
    lsn: () => lsn,
    durable: () => durable,
    bytes: () => bytes,
    failure: () => failure,
    push: (records, tell) => {
      if (failure) throw failure
      lsn++
      let batch = queue.at(-1)
      if (!batch || batch.records.length > largestBatch) {
        batch = batchFrom(lsn)
        queue.push(batch)
      }
      batch.to = lsn
      batch.records += records
      if (tell) batch.durable.push(tell)
      start()
    },
    settled: () => {
      if (failure) return Promise.reject(failure)
      return (queue.at(-1) ?? inFlight)?.promise ?? Promise.resolve()
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
      await current.file.close()
    },
  }
}
