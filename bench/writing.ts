import type { Gaps } from './gaps.ts'
import type { Checkpoint } from './observed.ts'

export type Written = {
  writes: number
  seconds: number
  /** Processor time per write in microseconds, on all threads. */
  micros: number
  /** Checkpoints that began and ended in the window, and how long they took together. */
  checkpoints: number
  checkpointMs: number
  /** The longest wait of the event loop while one was made, and in the whole window. */
  stallMs: number
  anyStallMs: number
}

const maxMs = 60_000

/**
 * Lets `writers` write, each its next when the last is durable, for `ms` and until `until` checkpoints are made. Only
 * writes that are durable within the window count.
 */
export const writeFor = async (
  put: (at: number) => Promise<unknown>,
  { writers, ms, until }: { writers: number; ms: number; until: number },
  checkpoints: readonly Checkpoint[],
  gaps: Gaps,
): Promise<Written> => {
  const start = performance.now()
  const before = checkpoints.length
  const cpu = process.cpuUsage()
  let writes = 0
  let at = Date.now()
  let last = start
  const goesOn = () => {
    const elapsed = performance.now() - start
    return elapsed < ms || (checkpoints.length - before < until && elapsed < maxMs)
  }
  const writer = async () => {
    while (goesOn()) {
      await put(++at)
      writes++
      last = performance.now()
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
  const { user, system } = process.cpuUsage(cpu)
  const windowCheckpoints = checkpoints.slice(before)
  if (windowCheckpoints.length < until)
    throw new Error(`only ${windowCheckpoints.length} checkpoints in ${maxMs} ms`)
  return {
    writes,
    seconds: (last - start) / 1000,
    micros: (user + system) / writes,
    checkpoints: windowCheckpoints.length,
    checkpointMs: windowCheckpoints.reduce((sum, { began, ended }) => sum + ended - began, 0),
    stallMs: windowCheckpoints.reduce(
      (max, { began, ended }) => Math.max(max, gaps.maxWithin(began, ended)),
      0,
    ),
    anyStallMs: gaps.maxWithin(start, last),
  }
}
