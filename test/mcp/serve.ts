import type { CallRecord, World } from '../../mcp/kernel/call.ts'
import type { Route } from '../../mcp/kernel/http.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { bundleRoutes, type ClientSeen, mcpRoutes } from '../../mcp/server/index.ts'
import type { Site } from '../../rest-adapter/router.ts'
import { openShell } from '../../web/shell.ts'
import { listen } from '../listen.ts'

export type Served = {
  /** Without a trailing slash; services are at `/{slug}/mcp`, the bundle at `/mcp`. */
  url: string
  seen: ClientSeen[]
  /** What handlers threw past every adapter. */
  faults: unknown[]
  stop(): Promise<void>
}

/** A world without any port: enough for tools that need none. */
export const emptyWorld = (more: Partial<World> = {}): World & { records: CallRecord[] } => {
  const records: CallRecord[] = []
  return {
    ports: {},
    own: new Map(),
    site: { organization: 'Octagent', url: 'http://127.0.0.1:8402' },
    base: ({ slug }) => `http://127.0.0.1:8402/${slug}`,
    shell: openShell(),
    limits: openLimits(),
    perMinute: 1_000_000,
    record: entry => void records.push(entry),
    ...more,
    records,
  }
}

/** Serves routes as the program does, and keeps what handlers threw that nobody had foreseen. */
export const serveSites = async (sites: readonly Site[]): Promise<Omit<Served, 'seen'>> => {
  const faults: unknown[] = []
  return { ...(await listen(sites, { onError: error => void faults.push(error) })), faults }
}

/** Serves services and their bundle over MCP on a free port of loopback. */
export const serveMcp = async (world: World, services: readonly Service[], shim = true): Promise<Served> => {
  const seen: ClientSeen[] = []
  const options = { shim, onClient: (client: ClientSeen) => void seen.push(client) }
  const sites = services.map(service => ({
    prefix: `/${service.slug}`,
    routes: mcpRoutes(world, service, options) as Route[],
  }))
  const served = await serveSites([{ prefix: '', routes: bundleRoutes(world, services, options) }, ...sites])
  return { ...served, seen }
}
