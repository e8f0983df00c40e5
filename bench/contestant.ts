import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Verb = (arg: never) => unknown

const cpu: Verb = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * The child's side: answers the verbs of the benchmark until it lets go, then runs `close` and ends. Every contestant
 * has the verb `cpu`: the microseconds of processor time its process has used, in user and system mode.
 */
export const contest = (
  ready: unknown,
  verbs: Readonly<Record<string, Verb>>,
  close: () => unknown = () => undefined,
) => {
  const all: Record<string, Verb> = { cpu, ...verbs }
  process.on('message', async ({ id, verb, arg }: { id: number; verb: string; arg: never }) => {
    try {
      process.send?.({ id, value: await all[verb]?.(arg) })
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.once('disconnect', async () => {
    await close()
    process.exit()
  })
  process.send?.({ id: 0, value: ready })
}

/** Puts a peer's server on a free port of loopback and enters it; ready is its URL. */
export const enter = (server: Server): void => {
  server.listen(0, '127.0.0.1', () =>
    contest(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {}),
  )
}
