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

const mostMs = 60_000

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
  const started = performance.now()
  const before = checkpoints.length
  const cpu = process.cpuUsage()
  let writes = 0
  let at = Date.now()
  let last = started
  const goesOn = () => {
    const passed = performance.now() - started
    return passed < ms || (checkpoints.length - before < until && passed < mostMs)
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
  const made = checkpoints.slice(before)
  if (made.length < until) throw new Error(`only ${made.length} checkpoints in ${mostMs} ms`)
  return {
    writes,
    seconds: (last - started) / 1000,
    micros: (user + system) / writes,
    checkpoints: made.length,
    checkpointMs: made.reduce((sum, { began, ended }) => sum + ended - began, 0),
    stallMs: made.reduce((most, { began, ended }) => Math.max(most, gaps.longest(began, ended)), 0),
    anyStallMs: gaps.longest(started, last),
  }
}
