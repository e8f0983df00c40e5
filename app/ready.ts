import type { World } from '../mcp/kernel/call.ts'
import { missingFor } from '../mcp/kernel/pipeline/provide.ts'
import type { JobReport, Schedule } from '../mcp/kernel/schedule.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { NetworkFinding } from '../mcp/payment/checks/finding.ts'
import type { NetworkWatch } from '../mcp/payment/checks/watch.ts'
import { loadStanding, type Standing } from '../mcp/payment/gate/standing.ts'
import type { StoreUse } from '../store/index.ts'
import type { Firing } from './alerts.ts'
import type { CapabilityReport } from './capabilities.ts'

type PublicFinding = Pick<NetworkFinding, 'check' | 'state'> & Partial<NetworkFinding>

/** Answer of `/readyz`: whether this replica should get traffic, and what is off. */
export type Readiness = {
  ok: boolean
  draining: boolean
  store: { ok: boolean; engine: string; degraded?: true; detail?: string } & Partial<StoreUse>
  jobs: JobReport[]
  off: { tool: string; needs: string[] }[]
  /** What takes more than the needs of tools, such as contracts: on or off, why, and by which variables. */
  capabilities: CapabilityReport[]
  /** The real networks that payments are taken on; where one is not ok, nothing is quoted on it. */
  networks?: { network: string; ok: boolean; checks: readonly PublicFinding[] }[]
  /** A network is off: this replica still serves what is not paid on it. */
  degraded?: true
  /** Payments that are open, owed or lost, and transfers to the till that nothing explains. */
  payments?: Standing
  /** Alerts that Prometheus would raise now, in words. */
  alerts: Firing[]
}

/** Tools that cannot work here, with the ports, settings or the way to pay that they lack; `free tier only` counts as limited, not off. */
const toolsOff = (world: World, services: readonly Service[]): Readiness['off'] =>
  services.flatMap(service =>
    service.tools.flatMap(tool => {
      const missing = missingFor(world, tool)
      return missing.length > 0 ? [{ tool: `${service.slug}.${tool.name}`, needs: missing }] : []
    }),
  )

/** State of the networks, by name. */
export const lookAt = (watches: readonly NetworkWatch[]) =>
  Promise.all(
    watches.map(async ({ network, findings }) => {
      const checks = await findings()
      return { network, ok: checks.every(({ state }) => state === 'ok'), checks }
    }),
  )

/** The state as strangers read it: what is on or off, without what its checks, jobs and store found. */
export const toPublicReadiness = ({ store, jobs, networks, ...ready }: Readiness): Readiness => {
  const { detail: _, ...publicStore } = store
  return {
    ...ready,
    store: publicStore,
    jobs: jobs.map(({ error: _, ...job }) => job),
    ...(networks && {
      networks: networks.map(({ checks, ...network }) => ({
        ...network,
        checks: checks.map(({ check, state }) => ({ check, state })),
      })),
    }),
  }
}

export const readiness = async (
  world: World,
  services: readonly Service[],
  plan: Schedule,
  draining: boolean,
  watches: readonly NetworkWatch[] = [],
  firing: () => Promise<Firing[]> = async () => [],
  capabilities: () => Promise<CapabilityReport[]> = async () => [],
): Promise<Readiness> => {
  const health = await world.ports.store?.health()
  const store = {
    ...(health ?? { ok: false, engine: 'none', detail: 'no store is configured' }),
    ...world.ports.store?.use(),
  }
  const { store: database } = world.ports
  const now = world.ports.clock?.now() ?? new Date()
  const payments = world.gate && database && (await loadStanding(database, now).catch(() => undefined))
  const networks = await lookAt(watches)
  return {
    ok: store.ok && !draining,
    ...(networks.some(({ ok }) => !ok) && { degraded: true }),
    draining,
    store,
    jobs: plan.reports(),
    off: toolsOff(world, services),
    capabilities: await capabilities(),
    ...(networks.length > 0 && { networks }),
    ...(payments && { payments: payments.standing }),
    alerts: await firing(),
  }
}
