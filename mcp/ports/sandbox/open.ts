import { ToolError } from '../../kernel/error.ts'
import type { Lane } from '../scheduler/lane.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import { openBubblewrap } from './bubblewrap.ts'
import { type ContainerOptions, openContainer } from './container.ts'
import { openLandlock } from './landlock.ts'
import type { Probe, Sandbox, Sandboxes, SharedSandbox } from './port.ts'

export type SandboxOptions = {
  python: string
  concurrency: number
  container?: ContainerOptions | undefined
}

const find = async ({ python, concurrency, container }: SandboxOptions): Promise<Sandbox> => {
  // What an operator named is not replaced by something weaker.
  const runners: (() => Promise<Probe>)[] = container
    ? [() => openContainer(container, concurrency)]
    : [() => openBubblewrap(python, concurrency), () => openLandlock(python, concurrency)]
  const reasons: string[] = []
  for (const open of runners) {
    const probe = await open()
    if ('sandbox' in probe) return probe.sandbox
    reasons.push(probe.reason)
  }
  throw new ToolError('unavailable', 'Code cannot be run here: no sandbox works on this machine.', {
    reason: 'execution_unavailable',
    hint: `Tried: ${reasons.join('; ')}.`,
  })
}

/** Time of a run that counts as light. */
const lightMs = 10_000

/** A sandbox in which jobs take turns. */
const withTurns = (sandbox: Sandbox, lane: Lane): SharedSandbox => {
  const forCall = ({ asker, signal }: Partial<Turn>): Sandbox => ({
    ...sandbox,
    async run(job) {
      const weight = job.limits.timeoutMs <= lightMs ? 'light' : 'heavy'
      const place = await lane.enter({ asker, weight, signal })
      try {
        return await sandbox.run({ ...job, signal })
      } finally {
        place.leave()
      }
    },
  })
  return { ...forCall({}), forCall }
}

/** How long a runner that was not found is not looked for again. */
const retryMs = 60_000

/** Looks for a runner once, and again some time after none was found. */
export const openSandboxes = (
  options: SandboxOptions,
  now = Date.now,
  lane = openResourceLane('sandboxes', options.concurrency),
): Sandboxes & { close(): Promise<void> } => {
  let search: { since: number; sandbox: Promise<SharedSandbox>; isFound: boolean } | undefined
  return {
    get() {
      if (search && (search.isFound || now() - search.since < retryMs)) return search.sandbox
      const started = {
        since: now(),
        sandbox: find(options).then(found => withTurns(found, lane)),
        isFound: false,
      }
      started.sandbox.then(
        () => {
          started.isFound = true
        },
        () => undefined,
      )
      search = started
      return started.sandbox
    },
    close: async () => {
      await search?.sandbox.then(sandbox => sandbox.close()).catch(() => undefined)
    },
  }
}
