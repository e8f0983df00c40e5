import { ToolError } from '../../kernel/error.ts'
import type { Guard } from '../fetch/guard.ts'
import { openGroups } from '../sandbox/cgroup.ts'
import type { Lane } from '../scheduler/lane.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import { browserExitError, pageCrashError, standsStill, stopping } from './failure.ts'
import { type Launched, launch, removeOldFolders } from './launch.ts'
import type { Browser, BrowserVisit, VisitOrder } from './port.ts'
import { show } from './show.ts'

/** Grace of a visit beyond its time, for starting and for reading what there is at its end. */
const graceMs = 15_000

/** Time of a visit that counts as light. */
const lightMs = 30_000

type Options = {
  guard: Guard
  /** The program, such as /usr/bin/chromium. */
  path: string
  /** Visits at the same time; others wait. */
  concurrency: number
  /** Says whose turn it is. Default: a lane with `concurrency` places. */
  lane?: Lane
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
    browser.on('disconnected', () => reject(browserExitError()))
    browser.on('context', context =>
      context.on('page', page => page.on('crash', () => reject(pageCrashError()))),
    )
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
  const { guard, path, concurrency, lane = openResourceLane('browsers', concurrency) } = options
  const newGroup = openGroups()
  const running = new Set<Launched>()
  let isClosed = false

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

  const visit = async (order: VisitOrder, turn?: Turn): Promise<BrowserVisit> => {
    guard.check(order.url)
    const { asker, signal } = turn ?? {}
    const weight = order.deadlineMs <= lightMs ? 'light' : 'heavy'
    const place = await lane.enter({ asker, weight, signal })
    try {
      if (isClosed) throw stopping()
      const launched = await start().catch(cause => {
        throw browserExitError(cause)
      })
      const { failure, end: endWatch } = watch(launched, order.deadlineMs + graceMs, signal)
      try {
        return await Promise.race([show({ guard, launched, order }), failure])
      } catch (problem) {
        if (problem instanceof ToolError) throw problem
        throw launched.browser.isConnected() ? problem : browserExitError(problem)
      } finally {
        endWatch()
        await end(launched)
      }
    } finally {
      place.leave()
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
    close: async () => {
      isClosed = true
      lane.clear(stopping())
      await Promise.all([...running].map(end))
    },
  }
}
