import { parentPort, workerData } from 'node:worker_threads'
import { type Task, type Told, toldOf } from './told.ts'

/** How a task is asked for. */
export type WorkerEntry = Task

type Run = (input: unknown) => unknown

const tell = (told: Told) => parentPort?.postMessage(told)

// A module that fails to load says so again to the task that needs it.
await Promise.allSettled((workerData as readonly string[]).map(module => import(module)))

parentPort?.on('message', async ({ module, name, input }: Task) => {
  try {
    const loaded = (await import(module)) as Record<string, Run | undefined>
    const run = loaded[name]
    if (!run) throw new Error(`${module} exports no ${name}`)
    tell({ value: await run(input) })
  } catch (thrown) {
    tell(toldOf(thrown))
  }
})

tell({ ready: true })
