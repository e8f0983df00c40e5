import { ToolError } from '../../kernel/error.ts'
import type { Workers } from '../index.ts'
import { compiled } from './compiled.ts'
import { startThread, type Thread } from './worker.ts'

type Options = { threads?: number; memoryMb?: number; mostWaiting?: number }

const busy = () =>
  new ToolError('too_many_requests', 'Too many large inputs are being read at once.', { retryAfter: 2 })

const closing = () => new ToolError('unavailable', 'The server is stopping.', { retryable: true })

/**
 * A pool of threads that are started when they are first needed and stay warm; tasks wait in the order they came. A task
 * that is too slow or too large ends its thread, and another is started at once with the modules that are in use.
 */
export const openWorkers = ({
  threads = 2,
  memoryMb = 256,
  mostWaiting = 64,
}: Options = {}): Workers & { close(): Promise<void> } => {
  const idle: Thread[] = []
  const running = new Set<Thread>()
  const waiting: ((thread: Thread | undefined) => void)[] = []
  const modules = new Set<string>()
  let closed = false

  const start = () => startThread(memoryMb, [...modules])

  /** A thread that is waiting for work; one that died while it waited is forgotten. */
  const free = (): Thread => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) if (thread.alive()) return thread
    return start()
  }

  /** Takes a place at once where there is one: a thread is `running` before anyone else can look. */
  const take = async (): Promise<Thread> => {
    if (closed) throw closing()
    if (running.size < threads) {
      const thread = free()
      running.add(thread)
      return thread
    }
    if (waiting.length >= mostWaiting) throw busy()
    const handed = await new Promise<Thread | undefined>(resolve => waiting.push(resolve))
    if (!handed) throw closing()
    return handed
  }

  /** Hands the place to who waits longest; a thread that died is replaced before it is missed. */
  const give = (thread: Thread) => {
    running.delete(thread)
    if (closed) return
    const next = thread.alive() ? thread : start()
    const first = waiting.shift()
    if (!first) return void idle.push(next)
    running.add(next)
    first(next)
  }

  return {
    async run<T>(module: string, name: string, input: unknown, ms = 3000): Promise<T> {
      const url = compiled(module)
      modules.add(url)
      const thread = await take()
      try {
        return (await thread.run({ module: url, name, input }, ms)) as T
      } finally {
        give(thread)
      }
    },
    async close() {
      closed = true
      for (const turnAway of waiting.splice(0)) turnAway(undefined)
      await Promise.all([...idle.splice(0), ...running].map(thread => thread.stop()))
    },
  }
}
