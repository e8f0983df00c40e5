import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { Worker } from 'node:worker_threads'

/** Processor time a thread has used, and whether it wants more of it now. */
export type ThreadUsage = { busyMs: number; runnable: boolean }

/** Linux counts the processor time of threads in hundredths of a second for programs, on every machine. */
const msPerTick = 10

/** The number of the thread that asks, as `/proc` has it; undefined where there is no such folder. */
export const currentThreadNumber = (): string | undefined => {
  try {
    return basename(readlinkSync('/proc/thread-self'))
  } catch {
    return undefined
  }
}

/** Fields 3 (state), 14 (utime) and 15 (stime) of proc_pid_stat(5). The name before them may hold anything but ends with `)`. */
const readStat = (thread: string): ThreadUsage | undefined => {
  try {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const busyMs = (Number(fields[11]) + Number(fields[12])) * msPerTick
    return Number.isFinite(busyMs) ? { busyMs, runnable: fields[0] !== 'S' } : undefined
  } catch {
    return undefined
  }
}

/**
 * What a worker's thread has used. Node 20 tells it of the whole process only, so Linux is asked; elsewhere it is the time
 * that the thread's event loop was busy, which a machine with more work than processors stretches.
 */
export const readThreadUsage = (worker: Worker, thread: string | undefined): ThreadUsage => {
  const threadUsage = thread === undefined ? undefined : readStat(thread)
  return threadUsage ?? { busyMs: worker.performance.eventLoopUtilization().active, runnable: false }
}

type Budget = { ms: number; maxIdleMs: number }

const minCheckMs = 20

/**
 * Calls `spent` once a task has used `ms` of processor time, or has waited `maxIdleMs` for something that does not come. A
 * thread cannot use more than the clock runs, so it is looked at no sooner than that. Gives what stops the watch.
 */
export const watchProcessorTime = (
  currentUsage: () => ThreadUsage,
  { ms, maxIdleMs }: Budget,
  onSpent: () => void,
): (() => void) => {
  const start = currentUsage().busyMs
  let last = start
  let idleMs = 0
  let timer: NodeJS.Timeout
  const check = (waitedMs: number) => {
    const { busyMs, runnable } = currentUsage()
    idleMs = busyMs > last || runnable ? 0 : idleMs + waitedMs
    last = busyMs
    if (busyMs - start >= ms || idleMs >= maxIdleMs) return onSpent()
    arm(busyMs - start)
  }
  const arm = (usedMs: number) => {
    const waitMs = Math.max(minCheckMs, Math.min(ms - usedMs, maxIdleMs - idleMs))
    timer = setTimeout(check, waitMs, waitMs)
  }
  arm(0)
  return () => clearTimeout(timer)
}
