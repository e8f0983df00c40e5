import type { AnyCapability } from '../mcp/kernel/capability.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { missingNeeds, type Providing, provideAll } from '../mcp/kernel/pipeline/provide.ts'
import type { Service } from '../mcp/kernel/service.ts'

/** A capability as operators see it; `variables` turn it on. */
export type CapabilityReport = {
  capability: string
  state: 'on' | 'off'
  reason?: string
  variables: readonly string[]
}

/** Milliseconds that a look may take, and that it holds: probes ask every few seconds, and some looks ask a chain. */
const probeMs = 3_000
const holdMs = 30_000

const look = async (world: Providing, { needs, wants, look: ask }: AnyCapability, lookMs: number) => {
  const missing = missingNeeds(world, needs)
  if (missing.length > 0) return { state: 'off' as const, reason: `${missing.join(', ')} is not configured.` }
  const signal = AbortSignal.timeout(lookMs)
  const late = new Promise<{ state: 'off'; reason: string }>(resolve =>
    signal.addEventListener('abort', () => resolve({ state: 'off', reason: 'Its chain does not answer.' })),
  )
  const state = async () => ask({ ...provideAll(world, [...needs, ...wants]), signal })
  return Promise.race([state(), late]).catch((error: unknown) => ({
    state: 'off' as const,
    reason: error instanceof ToolError ? error.message : 'Its chain does not answer.',
  }))
}

/** Looks at every capability of the services, on or off; what was seen holds for half a minute. `lookMs` is how long a look may take. */
export const openCapabilities = (
  world: Providing,
  services: readonly Service[],
  lookMs = probeMs,
): (() => Promise<CapabilityReport[]>) => {
  let seen: { until: number; reports: Promise<CapabilityReport[]> } | undefined
  const lookAll = () =>
    Promise.all(
      services.flatMap(({ slug, capabilities = [] }) =>
        capabilities.map(async each => {
          const { state, reason } = await look(world, each, lookMs)
          const why = state === 'off' && reason !== undefined ? { reason } : {}
          return { capability: `${slug}.${each.name}`, state, ...why, variables: each.variables }
        }),
      ),
    )
  return () => {
    if (!seen || performance.now() > seen.until)
      seen = { until: performance.now() + holdMs, reports: lookAll() }
    return seen.reports
  }
}
