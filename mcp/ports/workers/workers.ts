import { ToolError } from '../../error.ts'
import type { Workers } from '../index.ts'
import { compiled } from './compiled.ts'
import { startThread, type Thread } from './worker.ts'

type Options = { threads?: number; memoryMb?: number; mostWaiting?: number }

const busy = () =>
  new ToolError('too_many_requests', 'Too many large inputs are being read at once.', { retryAfter: 2 })

/**
 * A pool of threads that are started when they are first needed and stay warm. A task that is too slow or too large ends
 * its thread, and the next one gets a new thread.
 */
export const openWorkers = ({
  threads = 2,
  memoryMb = 256,
  mostWaiting = 64,
}: Options = {}): Workers & { close(): Promise<void> } => {
  const idle: Thread[] = []
  const running = new Set<Thread>()
  const waiting: (() => void)[] = []

  const thread = (): Thread => {
    for (let next = idle.pop(); next; next = idle.pop()) if (next.alive()) return next
    return startThread(memoryMb)
  }

  const place = (): Promise<void> | undefined => {
    if (running.size < threads) return undefined
    if (waiting.length >= mostWaiting) throw busy()
    return new Promise(resolve => waiting.push(resolve))
  }

  return {
    async run<T>(module: string, name: string, input: unknown, ms = 3000): Promise<T> {
      while (running.size >= threads) await place()
      const taken = thread()
      running.add(taken)
      try {
        return (await taken.run({ module: compiled(module), name, input }, ms)) as T
      } finally {
        running.delete(taken)
        if (taken.alive()) idle.push(taken)
        waiting.shift()?.()
      }
    },
    async close() {
      await Promise.all([...idle, ...running].map(one => one.stop()))
    },
  }
}
