import { parentPort, workerData } from 'node:worker_threads'
import { type Message, type Task, toMessage } from './message.ts'
import { ownThread } from './processor-time.ts'
import { stepBack } from './step-back.ts'

/** How a task is asked for. */
export type WorkerEntry = Task

type Run = (input: unknown) => unknown

const send = (message: Message) => parentPort?.postMessage(message)

// A module that fails to load says so again to the task that needs it.
await Promise.allSettled((workerData as readonly string[]).map(module => import(module)))

stepBack()

parentPort?.on('message', async ({ module, name, input }: Task) => {
  try {
    const loaded = (await import(module)) as Record<string, Run | undefined>
    const run = loaded[name]
    if (!run) throw new Error(`${module} exports no ${name}`)
    send({ value: await run(input) })
  } catch (error) {
    send(toMessage(error))
  }
})

send({ ready: true, thread: ownThread() })
