import type { World } from './mcp/kernel/call.ts'
import { missingNeeds } from './mcp/kernel/pipeline/provide.ts'
import type { JobReport, Schedule } from './mcp/kernel/schedule.ts'
import type { Service } from './mcp/kernel/service.ts'
import { isFree } from './mcp/kernel/tool.ts'
import { countPayments } from './mcp/payment/gate/record.ts'
import type { StoreUse } from './store/index.ts'

/** What `/readyz` tells: whether this replica should get traffic, and what is off. */
export type Readiness = {
  ok: boolean
  draining: boolean
  store: { ok: boolean; engine: string; degraded?: true; detail?: string } & Partial<StoreUse>
  jobs: JobReport[]
  off: { tool: string; needs: string[] }[]
  /** Payments whose outcome is open, and those that a chain took back for good. */
  payments?: { pending: number; lost: number }
}

/** Tools that cannot work here, with the ports, settings or the way to pay that they lack; `free tier only` counts as limited, not off. */
export const toolsOff = (world: World, services: readonly Service[]): Readiness['off'] =>
  services.flatMap(service =>
    service.tools.flatMap(tool => {
      const missing = missingNeeds(world, tool.needs)
      if (!isFree(tool.price) && !world.gate && !tool.free) missing.push('payment method')
      return missing.length > 0 ? [{ tool: `${service.slug}.${tool.name}`, needs: missing }] : []
    }),
  )

export const readiness = async (
  world: World,
  services: readonly Service[],
  plan: Schedule,
  draining: boolean,
): Promise<Readiness> => {
  const health = await world.ports.store?.health()
  const store = {
    ...(health ?? { ok: false, engine: 'none', detail: 'no store is configured' }),
    ...world.ports.store?.use(),
  }
  const { store: database } = world.ports
  const payments = world.gate && database && (await countPayments(database).catch(() => undefined))
  return {
    ok: store.ok && !draining,
    draining,
    store,
    jobs: plan.reports(),
    off: toolsOff(world, services),
    ...(payments && { payments }),
  }
}
