import type { StoreFailure } from '../index.ts'
import { openPiece, type Piece } from './frame.ts'

/** Commits `from` to `to`, which become one frame; `durable` and `promise` hear when it is safe. */
export type CommitBatch = {
  from: number
  to: number
  records: Piece
  durable: (() => void)[]
  /** Steps that take its commits out of memory again, called from the last to the first. */
  undo: (() => void)[]
  promise: Promise<void>
  /** For callers, who may not leave its rejection alone; made for the first of them. */
  safe: Promise<void> | undefined
  resolve: () => void
  reject: (failure: StoreFailure) => void
}

const firstBytes = 32 << 10

/** A batch that begins with commit `from`, in the buffer of one that is done. Its rejection harms nobody who does not wait for it. */
export const batchFrom = (from: number, done: Piece | undefined): CommitBatch => {
  let resolve = (): void => undefined
  let reject = (_: StoreFailure): void => undefined
  const promise = new Promise<void>((onDone, failed) => {
    resolve = onDone
    reject = failed
  })
  promise.catch(() => undefined)
  const records = openPiece(firstBytes, done)
  return { from, to: from, records, durable: [], undo: [], promise, safe: undefined, resolve, reject }
}
