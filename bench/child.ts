import { fork } from 'node:child_process'

/** A contestant in a process of its own. */
export type Child = {
  /** What it said when it was ready: the URL of a server, nothing for a store. */
  ready: unknown
  /** Asks for one of its verbs. Rejects with what the verb threw, or when the process ends. */
  ask<R>(verb: string, arg?: unknown): Promise<R>
  stop(): Promise<void>
}

type Reply = { id: number; value?: unknown; error?: string }
type Waiting = { resolve(value: never): void; reject(cause: Error): void }

/** Runs `contestants/<name>`, with options of Node where it asks for some. Its standard output is thrown away as a log would be; its errors are shown. */
export const openChild = async (
  name: string,
  args: readonly string[] = [],
  execArgv: readonly string[] = process.execArgv,
): Promise<Child> => {
  const child = fork(new URL(`./contestants/${name}.js`, import.meta.url), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...execArgv],
  })
  const waiting = new Map<number, Waiting>()
  let last = 0
  const exit = new Promise<void>(resolve => {
    child.once('exit', code => {
      for (const { reject } of waiting.values()) reject(new Error(`${name} ended with code ${code}`))
      waiting.clear()
      resolve()
    })
  })
  child.on('message', ({ id, value, error }: Reply) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) call?.resolve(value as never)
    else call?.reject(new Error(`${name}: ${error}`))
  })
  const reply = <R>(id: number): Promise<R> =>
    new Promise<R>((resolve, reject) => waiting.set(id, { resolve, reject }))
  const ready = await reply<unknown>(0)
  return {
    ready,
    ask: (verb, arg) => {
      last++
      const answer = reply<never>(last)
      child.send({ id: last, verb, arg })
      return answer
    },
    stop: async () => {
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
      if (child.connected) child.disconnect()
      await exit
      clearTimeout(late)
    },
  }
}
