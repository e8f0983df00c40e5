import { parentPort } from 'node:worker_threads'
import type { Task } from './worker.ts'

type Run = (input: unknown) => unknown

parentPort?.on('message', async ({ module, name, input }: Task) => {
  try {
    const loaded = (await import(module)) as Record<string, Run | undefined>
    const run = loaded[name]
    if (!run) throw new Error(`${module} exports no ${name}`)
    parentPort?.postMessage({ value: await run(input) })
  } catch (thrown) {
    parentPort?.postMessage({ thrown })
  }
})
