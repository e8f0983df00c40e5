import { Worker } from 'node:worker_threads'
import { ToolError } from '../../kernel/error.ts'
import { toCompiledPath } from './compiled.ts'
import type { ThreadMessage, WorkerTask } from './message.ts'
import { readThreadUsage, watchProcessorTime } from './processor-time.ts'

/** A thread that does one task at a time. */
export type WorkerThread = {
  /**
   * Rejects with what the task throws, or with `upstream` when it uses more than `ms` of processor time, not counted the
   * start of the thread, or more memory than there is; the thread is gone then.
   */
  run(task: WorkerTask, ms: number): Promise<unknown>
  /** True when it can take another task. */
  alive(): boolean
  stop(): Promise<unknown>
}

/** How a task ended. */
type WorkerEnd = ThreadMessage | { gone: unknown } | { late: true }

/** The extension of our own sources: `.ts` where they run as TypeScript, `.js` where they are compiled. */
const extension = import.meta.url.slice(-3)

const entry = new URL(toCompiledPath(new URL(`./entry${extension}`, import.meta.url).href))

/** Processor time depends on what else the machine does, so the same content may pass later; memory does not. */
const givenUp = (reason: 'time' | 'memory') =>
  new ToolError('upstream', `The content takes too much ${reason} to read and was given up.`, {
    retryable: reason === 'time',
    hint: 'Ask for a smaller page, or another part of it.',
  })

const isOutOfMemory = (cause: unknown): boolean =>
  (cause as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'

const toFailure = (ended: Exclude<WorkerEnd, { value: unknown } | { ready: true }>): unknown => {
  if ('thrown' in ended) return ended.thrown
  if ('failure' in ended) return new ToolError(ended.failure.code, ended.failure.message, ended.failure.extra)
  if ('late' in ended) return givenUp('time')
  return isOutOfMemory(ended.gone) ? givenUp('memory') : new Error('a worker ended', { cause: ended.gone })
}

type ThreadOptions = {
  memoryMb: number
  /** How long a task may do nothing, such as wait for what never comes. */
  maxIdleMs: number
  /** Loaded at once. */
  modules: readonly string[]
}

/** Starts a thread. It keeps no process alive. */
export const startThread = ({ memoryMb, maxIdleMs, modules }: ThreadOptions): WorkerThread => {
  const worker = new Worker(entry, {
    workerData: modules,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    execArgv: [],
  })
  worker.unref()
  let alive = true
  let thread: string | undefined
  let settle: ((ended: WorkerEnd) => void) | undefined
  let began: () => void = () => undefined
  const ready = new Promise<void>(resolve => {
    began = resolve
  })
  worker.on('message', (message: ThreadMessage) => {
    if (!('ready' in message)) return settle?.(message)
    thread = message.thread
    began()
  })
  const end = (cause: unknown) => {
    alive = false
    settle?.({ gone: cause })
    began()
  }
  worker.on('error', end)
  worker.on('exit', () => end(undefined))

  const outcome = (task: WorkerTask, ms: number) =>
    new Promise<WorkerEnd>((resolve, reject) => {
      const stopWatch = watchProcessorTime(
        () => readThreadUsage(worker, thread),
        { ms, maxIdleMs },
        () => resolve({ late: true }),
      )
      settle = ended => {
        stopWatch()
        resolve(ended)
      }
      try {
        worker.postMessage(task)
      } catch (unsendable) {
        stopWatch()
        reject(unsendable)
      }
    })

  const run: WorkerThread['run'] = async (task, ms) => {
    worker.ref()
    try {
      await ready
      const ended = alive ? await outcome(task, ms) : { gone: undefined }
      if ('value' in ended) return ended.value
      if ('ready' in ended) throw new Error('a worker started twice')
      if ('late' in ended) {
        alive = false
        await worker.terminate()
      }
      throw toFailure(ended)
    } finally {
      settle = undefined
      worker.unref()
    }
  }

  return { run, alive: () => alive, stop: () => worker.terminate() }
}
