import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { CallRecord, World } from '../../mcp/call.ts'
import type { Route } from '../../mcp/http.ts'
import { openLimits } from '../../mcp/pipeline/limits.ts'
import { bundleRoutes, type ClientSeen, mcpRoutes } from '../../mcp/server/index.ts'
import type { Service } from '../../mcp/service.ts'
import { guard } from '../../rest-adapter/guard.ts'
import { openRouter, type Site } from '../../rest-adapter/router.ts'

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
    site: { organization: 'Octagent', url: 'http://127.0.0.1:8402' },
    base: ({ slug }) => `http://127.0.0.1:8402/${slug}`,
    limits: openLimits(),
    perMinute: 1_000_000,
    record: entry => void records.push(entry),
    ...more,
    records,
  }
}

/** Serves routes as the program does: guard, router, express. */
export const serveSites = async (sites: readonly Site[]): Promise<Omit<Served, 'seen'>> => {
  const faults: unknown[] = []
  const app = express().disable('x-powered-by').disable('etag').set('query parser', 'simple')
  const pass = guard({ loopback: true, hosts: [], origins: [] })
  const route = openRouter(sites, { onError: thrown => faults.push(thrown) })
  app.use((req, res) => {
    if (pass(req, res)) route(req, res)
  })
  const server = createServer(app)
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const stop = () =>
    new Promise<void>(closed => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults, stop }
}

/** Serves services and their bundle over MCP on a free port of loopback. */
export const serveMcp = async (world: World, services: readonly Service[], shim = true): Promise<Served> => {
  const seen: ClientSeen[] = []
  const options = { shim, seen: (client: ClientSeen) => void seen.push(client) }
  const sites = services.map(service => ({
    prefix: `/${service.slug}`,
    routes: mcpRoutes(world, service, options) as Route[],
  }))
  const served = await serveSites([{ prefix: '', routes: bundleRoutes(world, services, options) }, ...sites])
  return { ...served, seen }
}
