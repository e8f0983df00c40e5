import { ToolError } from '../../kernel/error.ts'
import type { Guard } from '../fetch/guard.ts'
import { openGroups } from '../sandbox/cgroup.ts'
import { crashed, died, noRoom, standsStill } from './failure.ts'
import { type Launched, launch, removeOldFolders } from './launch.ts'
import type { Browser, Visit, VisitOrder } from './port.ts'
import { show } from './show.ts'

/** What a visit may take beyond its time, for starting and for reading what there is at its end. */
const graceMs = 15_000

type Options = {
  guard: Guard
  /** The program, such as /usr/bin/chromium. */
  path: string
  /** Visits at the same time; others are refused. */
  concurrency: number
}

/** Rejects when a visit cannot go on: its time is over, its caller has left, its page crashed, its browser died. */
const watch = ({ browser }: Launched, ms: number, signal: AbortSignal | undefined) => {
  let timer: NodeJS.Timeout | undefined
  let leave = () => {}
  const failure = new Promise<never>((_, reject) => {
    leave = () => reject(standsStill())
    timer = setTimeout(leave, ms)
    timer.unref()
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
    browser.on('disconnected', () => reject(died()))
    browser.on('context', context => context.on('page', page => page.on('crash', () => reject(crashed()))))
  })
  failure.catch(() => undefined)
  return {
    failure,
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    },
  }
}

/** Chromium in namespaces of its own, a new one for each visit. */
export const openChromium = async (options: Options): Promise<Browser & { close(): Promise<void> }> => {
  const { guard, path, concurrency } = options
  const newGroup = openGroups()
  const visiting = new Map<string, number>()
  const running = new Set<Launched>()
  let visits = 0
  let isClosed = false
  const maxOfOne = Math.max(1, concurrency - 1)

  const checkRoom = (client: string) => {
    if (isClosed || visits >= concurrency || (visiting.get(client) ?? 0) >= maxOfOne) throw noRoom()
  }
  const enter = (client: string): (() => void) => {
    checkRoom(client)
    visits++
    visiting.set(client, (visiting.get(client) ?? 0) + 1)
    return () => {
      visits--
      const left = (visiting.get(client) ?? 1) - 1
      if (left > 0) visiting.set(client, left)
      else visiting.delete(client)
    }
  }

  const start = async (): Promise<Launched> => {
    const launched = await launch({ guard, path, newGroup })
    running.add(launched)
    if (isClosed) await end(launched)
    return launched
  }
  const end = async (launched: Launched): Promise<void> => {
    await launched.close()
    running.delete(launched)
  }

  const visit = async (order: VisitOrder, signal?: AbortSignal): Promise<Visit> => {
    guard.check(order.url)
    const leave = enter(order.client)
    try {
      const launched = await start().catch(cause => {
        throw died(cause)
      })
      const { failure, end: endWatch } = watch(launched, order.deadlineMs + graceMs, signal)
      try {
        return await Promise.race([show({ guard, launched, order }), failure])
      } catch (problem) {
        if (problem instanceof ToolError) throw problem
        throw launched.browser.isConnected() ? problem : died(problem)
      } finally {
        endWatch()
        await end(launched)
      }
    } finally {
      leave()
    }
  }

  await removeOldFolders()
  const probe = await start()
  const version = probe.browser.version()
  await end(probe)
  return {
    facts: {
      version,
      isolates: {
        network: 'a namespace without interfaces; one socket to a proxy that checks every address',
        filesystem: 'a mount namespace with the programs of the system, read-only',
        sandbox: "Chromium's own, as a user without rights",
      },
    },
    visit,
    checkRoom,
    close: async () => {
      isClosed = true
      await Promise.all([...running].map(end))
    },
  }
}
