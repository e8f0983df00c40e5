import { availableParallelism } from 'node:os'
import { ToolError } from '../../kernel/error.ts'
import { toStopError } from '../fetch/deadline.ts'
import type { Lane } from '../scheduler/lane.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import { estimateBytes } from '../size.ts'
import { toCompiledPath } from './compiled.ts'
import type { Workers } from './port.ts'
import { startThread, type WorkerThread } from './worker.ts'

type Options = {
  /** Says whose turn it is; it has as many places as there are threads. */
  lane?: Lane
  threads?: number
  memoryMb?: number
  maxIdleMs?: number
}

/**
 * How many threads there are where nobody says: one a processor, two to eight. Heavy input has all but one, so that a processor stays free
 * of it where there are two or more; where there is one, light input shares it with heavy input.
 */
export const defaultThreads = Math.min(8, Math.max(2, availableParallelism()))

const closing = () => new ToolError('unavailable', 'The server is stopping.', { retryable: true })

/** Input of at most 64 K characters, or as many bytes twice, is light. */
const lightBytes = 130 * 1024

/** Counted no further: the largest input is a file of 20 MB. */
const countedBytes = 64 << 20

/** Time left to a task that nobody waits for any more to end by itself: most do, and a thread is dearer than that. */
const abandonedMs = 300

/** The outcome of a task, unless its caller leaves first: the thread of the task is then stopped, if it does not end at once. */
const unlessAborted = <T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  stop: () => void,
): Promise<T> => {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const leave = () => {
      timer = setTimeout(stop, abandonedMs)
      reject(toStopError(signal))
    }
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    work.then(resolve, reject).finally(settle)
  })
}

/**
 * A pool of threads that are started when they are first needed and stay warm. A task that is too slow or too large, or that nobody
 * waits for any more, ends its thread, and another is started at once with the modules that are in use.
 */
export const openWorkers = ({
  threads = defaultThreads,
  lane = openResourceLane('workers', threads),
  memoryMb = 256,
  maxIdleMs = 10_000,
}: Options = {}): Workers & { close(): Promise<void> } => {
  const idle: WorkerThread[] = []
  const running = new Set<WorkerThread>()
  const modules = new Set<string>()
  let closed = false

  const start = () => startThread({ memoryMb, maxIdleMs, modules: [...modules] })

  /** A thread that is waiting for work; one that died while it waited is forgotten. */
  const free = (): WorkerThread => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) if (thread.alive()) return thread
    return start()
  }

  /** Puts a thread back; one that died is replaced before it is missed. */
  const giveBack = (thread: WorkerThread) => {
    running.delete(thread)
    if (!closed) idle.push(thread.alive() ? thread : start())
  }

  const forCall = (turn: Partial<Turn>): Workers => ({
    async run<T>(module: string, name: string, input: unknown, ms = 3000): Promise<T> {
      if (closed) throw closing()
      const url = toCompiledPath(module)
      modules.add(url)
      const { asker, signal } = turn
      const bytes = estimateBytes(input, countedBytes)
      const weight = bytes <= lightBytes ? 'light' : 'heavy'
      const place = await lane.enter({ asker, signal, bytes, weight })
      if (closed) {
        place.leave()
        throw closing()
      }
      const thread = free()
      running.add(thread)
      const work = thread.run({ module: url, name, input }, ms).finally(() => {
        giveBack(thread)
        place.leave()
      })
      return (await unlessAborted(work, signal, () => void thread.stop())) as T
    },
    warm(module) {
      const url = toCompiledPath(module)
      if (closed || modules.has(url)) return
      modules.add(url)
      if (idle.length + running.size < threads) idle.push(start())
    },
    forCall,
  })

  return {
    /** Work of the house itself: one task at a time, as for any client. */
    ...forCall({}),
    async close() {
      closed = true
      lane.clear(closing())
      await Promise.all([...idle.splice(0), ...running].map(thread => thread.stop()))
    },
  }
}
