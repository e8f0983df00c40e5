import { ToolError } from '../../kernel/error.ts'
import { openBubblewrap } from './bubblewrap.ts'
import { type ContainerOptions, openContainer } from './container.ts'
import { openLandlock } from './landlock.ts'
import type { Probe, Sandbox, Sandboxes } from './port.ts'

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

/** How long a runner that was not found is not looked for again. */
const retryMs = 60_000

/** Looks for a runner once, and again some time after none was found. */
export const openSandboxes = (
  options: SandboxOptions,
  now = Date.now,
): Sandboxes & { close(): Promise<void> } => {
  let search: { since: number; sandbox: Promise<Sandbox>; isFound: boolean } | undefined
  return {
    get() {
      if (search && (search.isFound || now() - search.since < retryMs)) return search.sandbox
      const started = { since: now(), sandbox: find(options), isFound: false }
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
