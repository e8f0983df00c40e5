import { fstatSync, write, writeSync } from 'node:fs'
import type { Sink } from './log-batch.ts'

let lost = 0

/** Bytes of lines that this process could not write. */
export const countLostBytes = (): number => lost

/** Bytes that wait for a reader before later lines are dropped. */
const maxWaiting = 8 << 20

/** Milliseconds between two tries of a descriptor that takes nothing, and how many tries the end of the process waits. */
const busyMs = 50
const maxTries = 20

const isBusy = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EAGAIN' || code === 'EBUSY' || code === 'EINTR'
}

const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Writes lines to a descriptor of this process, in order, and never ends or holds it up: lines are lost where the reader has left
 * or the disk is full, and while a reader leaves more than 8 MiB unread; the end of the process waits a second for it at most.
 * Files are written by a thread, since a disk may be slow. Pipes and sockets are written at once: `process.stdout` has made them non-blocking.
 */
export const openOutput = (fd: number): Sink => {
  if (fd === 1) void process.stdout
  if (fd === 2) void process.stderr
  const isFile = fstatSync(fd).isFile()
  let chunks: Buffer[] = []
  let waiting = 0
  let isWriting = false
  let timer: NodeJS.Timeout | undefined
  let onEmpty: (() => void)[] = []

  const settle = (): void => {
    const done = onEmpty
    onEmpty = []
    for (const each of done) each()
  }

  const drop = (): void => {
    lost += waiting
    chunks = []
    waiting = 0
  }

  const advance = (chunk: Buffer, count: number): void => {
    waiting -= count
    if (count === chunk.length) chunks.shift()
    else chunks[0] = chunk.subarray(count)
  }

  /** Writes what the descriptor takes at once; false while it takes nothing more. */
  const writeAtOnce = (): boolean => {
    for (let chunk = chunks[0]; chunk; chunk = chunks[0]) {
      try {
        advance(chunk, writeSync(fd, chunk))
      } catch (error) {
        if (isBusy(error)) return false
        drop()
      }
    }
    return true
  }

  const next = (): void => {
    timer = undefined
    const [chunk] = chunks
    if (!isFile) {
      if (writeAtOnce()) settle()
      else timer = setTimeout(next, busyMs).unref()
      return
    }
    if (!chunk) {
      settle()
      return
    }
    isWriting = true
    write(fd, chunk, (error, count) => {
      isWriting = false
      if (error) drop()
      else if (chunks[0] === chunk) advance(chunk, count)
      next()
    })
  }

  return {
    write(lines) {
      const chunk = Buffer.from(lines)
      if (waiting + chunk.length > maxWaiting) {
        lost += chunk.length
        return
      }
      chunks.push(chunk)
      waiting += chunk.length
      if (!isWriting && !timer) next()
    },
    flush(done) {
      if (chunks.length > 0 && done) onEmpty.push(done)
      else done?.()
    },
    flushSync() {
      // The thread has the first chunk of a file already, and ends with the process only once it is written.
      if (isWriting) waiting -= chunks.shift()?.length ?? 0
      for (let tries = 0; !writeAtOnce() && tries < maxTries; tries++) sleep(busyMs)
    },
  }
}
