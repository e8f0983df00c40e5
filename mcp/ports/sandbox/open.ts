import { ToolError } from '../../kernel/error.ts'
import { inSpan } from '../../lib/trace/span.ts'
import type { Lane } from '../scheduler/lane.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import { openBubblewrap } from './bubblewrap.ts'
import { type ContainerOptions, openContainer } from './container.ts'
import { openLandlock } from './landlock.ts'
import type { RunnerOptions, Sandbox, Sandboxes, SandboxProbe, SharedSandbox } from './port.ts'

type Options = RunnerOptions & { concurrency: number; container?: ContainerOptions | undefined }

const find = async ({ container, ...options }: Options): Promise<Sandbox> => {
  // What an operator named is not replaced by something weaker.
  const runners: (() => Promise<SandboxProbe>)[] = container
    ? [() => openContainer(container)]
    : [() => openBubblewrap(options), () => openLandlock(options)]
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
        return await inSpan(
          asker?.span,
          ['sandbox run', 'internal', { 'octagent.runner': sandbox.facts.runner }],
          () => sandbox.run({ ...job, signal }),
        )
      } finally {
        place.leave()
      }
    },
  })
  return { ...forCall({}), forCall }
}

/** How long a runner that was not found is not looked for again. */
const retryMs = 60_000

/**
 * Looks for a runner once. Where none was found, the last answer stands until another search has one: a caller begins it, once a minute,
 * and nobody waits for it.
 */
export const openSandboxes = (
  options: Options,
  now = Date.now,
  lane = openResourceLane('sandboxes', options.concurrency),
): Sandboxes & { close(): Promise<void> } => {
  let answer: Promise<SharedSandbox> | undefined
  let nextSearch = Number.POSITIVE_INFINITY
  const search = (): Promise<SharedSandbox> => {
    nextSearch = Number.POSITIVE_INFINITY
    const found = find(options).then(sandbox => withTurns(sandbox, lane))
    found.catch(() => {
      nextSearch = now() + retryMs
    })
    return found
  }
  return {
    get() {
      answer ??= search()
      if (now() >= nextSearch) {
        const found = search()
        const replace = () => {
          answer = found
        }
        found.then(replace, replace)
      }
      return answer
    },
    close: async () => {
      await answer?.then(sandbox => sandbox.close()).catch(() => undefined)
    },
  }
}
