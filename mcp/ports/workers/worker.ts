import { Worker } from 'node:worker_threads'
import { ToolError } from '../../error.ts'
import { compiled } from './compiled.ts'

/** One exported function of a compiled module, and what it is given. */
export type Task = { module: string; name: string; input: unknown }

type Told = { value: unknown } | { thrown: unknown }

/** A thread that does one task at a time. */
export type Thread = {
  /** Rejects with `upstream` when the task takes longer than `ms` or more memory than there is; the thread is gone then. */
  run(task: Task, ms: number): Promise<unknown>
  /** True when it can take another task. */
  alive(): boolean
  stop(): Promise<unknown>
}

const givenUp = (why: string) =>
  new ToolError('upstream', `The content takes too much ${why} to read and was given up.`, {
    retryable: false,
    hint: 'Ask for a smaller page, or another part of it.',
  })

const outOfMemory = (cause: unknown): boolean =>
  (cause as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** Starts a thread with `memoryMb` of heap. It keeps no process alive. */
export const startThread = (memoryMb: number): Thread => {
  const worker = new Worker(new URL(compiled(new URL(`./entry${ext}`, import.meta.url).href)), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    execArgv: [],
  })
  worker.unref()
  let alive = true
  let settle: ((told: Told | { gone: unknown }) => void) | undefined
  worker.on('message', (told: Told) => settle?.(told))
  const end = (cause: unknown) => {
    alive = false
    settle?.({ gone: cause })
  }
  worker.on('error', end)
  worker.on('exit', () => end(undefined))

  const run: Thread['run'] = async (task, ms) => {
    worker.ref()
    const told = await new Promise<Told | { gone: unknown } | { late: true }>(resolve => {
      const timer = setTimeout(() => resolve({ late: true }), ms)
      settle = told => {
        clearTimeout(timer)
        resolve(told)
      }
      worker.postMessage(task)
    })
    settle = undefined
    worker.unref()
    if ('value' in told) return told.value
    if ('thrown' in told) throw told.thrown
    alive = false
    void worker.terminate()
    if ('late' in told) throw givenUp('time')
    throw outOfMemory(told.gone) ? givenUp('memory') : new Error('a worker ended', { cause: told.gone })
  }

  return { run, alive: () => alive, stop: () => worker.terminate() }
}

/** The extension of our own sources: `.ts` where they run as TypeScript, `.js` where they are compiled. */
const ext = import.meta.url.slice(-3)
