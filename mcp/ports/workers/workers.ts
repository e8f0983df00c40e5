import { setMaxListeners } from 'node:events'
import { ToolError } from '../../kernel/error.ts'
import { toStopError } from '../fetch/deadline.ts'
import type { Asker, Workers } from '../index.ts'
import { estimateBytes } from '../size.ts'
import { compiled } from './compiled.ts'
import { openQueue } from './queue.ts'
import { startThread, type Thread } from './worker.ts'

type Options = {
  threads?: number
  memoryMb?: number
  maxCallsPerClient?: number
  maxCallsPerPayer?: number
  maxWaiting?: number
  maxWaitingBytes?: number
  maxIdleMs?: number
}

const closing = () => new ToolError('unavailable', 'The server is stopping.', { retryable: true })

/** Input of at most 64 K characters, or as many bytes twice, is light. */
const lightBytes = 130 * 1024

/** Counted no further: the largest input is a file of 20 MB. */
const countedBytes = 64 << 20

/** The outcome of a task, unless its caller leaves first: the task then ends for nobody. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(toStopError(signal))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/**
 * A pool of threads that are started when they are first needed and stay warm. The queue says whose turn it is. A task that
 * is too slow or too large ends its thread, and another is started at once with the modules that are in use.
 */
export const openWorkers = ({
  threads = 3,
  memoryMb = 256,
  maxCallsPerClient = 5,
  maxCallsPerPayer = 64,
  maxWaiting = 256,
  maxWaitingBytes = 128 << 20,
  maxIdleMs = 10_000,
}: Options = {}): Workers & { close(): Promise<void> } => {
  const idle: Thread[] = []
  const running = new Set<Thread>()
  const modules = new Set<string>()
  const queue = openQueue({
    places: threads,
    maxCallsPerClient,
    maxCallsPerPayer,
    maxWaiting,
    maxWaitingBytes,
  })
  let closed = false

  const start = () => startThread({ memoryMb, maxIdleMs, modules: [...modules] })

  /** A thread that is waiting for work; one that died while it waited is forgotten. */
  const free = (): Thread => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) if (thread.alive()) return thread
    return start()
  }

  /** Puts a thread back; one that died is replaced before it is missed. */
  const giveBack = (thread: Thread) => {
    running.delete(thread)
    if (!closed) idle.push(thread.alive() ? thread : start())
  }

  const forCall = (turn: { asker: Asker; signal?: AbortSignal | undefined }): Workers => ({
    async run<T>(module: string, name: string, input: unknown, ms = 3000): Promise<T> {
      if (closed) throw closing()
      const url = compiled(module)
      modules.add(url)
      const { asker, signal } = turn
      // A call may have many tasks at once.
      if (signal) setMaxListeners(0, signal)
      const bytes = estimateBytes(input, countedBytes)
      const weight = bytes <= lightBytes ? 'light' : 'heavy'
      const place = await queue.enter({ asker, signal, bytes, weight })
      if (closed) throw closing()
      const thread = free()
      running.add(thread)
      const work = thread.run({ module: url, name, input }, ms).finally(() => {
        giveBack(thread)
        place.leave()
      })
      return (await unlessAborted(work, signal)) as T
    },
    warm(module) {
      const url = compiled(module)
      if (closed || modules.has(url)) return
      modules.add(url)
      if (idle.length + running.size < threads) idle.push(start())
    },
    forCall,
  })

  return {
    /** Work of the house itself: one task at a time, as for any client. */
    ...forCall({ asker: { client: '', paid: false } }),
    async close() {
      closed = true
      queue.clear(closing())
      await Promise.all([...idle.splice(0), ...running].map(thread => thread.stop()))
    },
  }
}
