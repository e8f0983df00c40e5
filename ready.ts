import type { World } from './mcp/kernel/call.ts'
import type { JobReport, Schedule } from './mcp/kernel/schedule.ts'
import { isFree } from './mcp/kernel/tool.ts'
import { services } from './services.ts'
import type { StoreUse } from './store/index.ts'

/** What `/readyz` tells: whether this replica should get traffic, and what is off. */
export type Readiness = {
  ok: boolean
  draining: boolean
  store: { ok: boolean; engine: string; degraded?: true; detail?: string } & Partial<StoreUse>
  jobs: JobReport[]
  off: { tool: string; needs: string[] }[]
}

/** Tools that cannot work here, with the ports or the rail they lack; `free tier only` counts as limited, not off. */
export const toolsOff = ({ ports, gate }: World): Readiness['off'] =>
  services.flatMap(service =>
    service.tools.flatMap(tool => {
      const missing: string[] = tool.needs.filter(need => !ports[need])
      if (!isFree(tool.price) && !gate && !tool.free) missing.push('payment rail')
      return missing.length > 0 ? [{ tool: `${service.slug}.${tool.name}`, needs: missing }] : []
    }),
  )

export const readiness = async (world: World, plan: Schedule, draining: boolean): Promise<Readiness> => {
  const health = await world.ports.store?.health()
  const store = {
    ...(health ?? { ok: false, engine: 'none', detail: 'no store is configured' }),
    ...world.ports.store?.use(),
  }
  return { ok: store.ok && !draining, draining, store, jobs: plan.reports(), off: toolsOff(world) }
}
