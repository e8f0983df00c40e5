import { parentPort, workerData } from 'node:worker_threads'
import { type ThreadMessage, toMessage, type WorkerTask } from './message.ts'
import { currentThreadNumber } from './processor-time.ts'
import { stepBack } from './step-back.ts'

/** How a task is asked for. */
export type WorkerEntry = WorkerTask

type Run = (input: unknown) => unknown

const send = (message: ThreadMessage) => parentPort?.postMessage(message)

// A module that fails to load says so again to the task that needs it.
await Promise.allSettled((workerData as readonly string[]).map(module => import(module)))

stepBack()

parentPort?.on('message', async ({ module, name, input }: WorkerTask) => {
  try {
    const loaded = (await import(module)) as Record<string, Run | undefined>
    const run = loaded[name]
    if (!run) throw new Error(`${module} exports no ${name}`)
    send({ value: await run(input) })
  } catch (error) {
    send(toMessage(error))
  }
})

send({ ready: true, thread: currentThreadNumber() })
