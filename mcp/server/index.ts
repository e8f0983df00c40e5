import type { World } from '../kernel/call.ts'
import type { Request, Route } from '../kernel/http.ts'
import { resourceOf } from '../kernel/pipeline/identify.ts'
import type { Service } from '../kernel/service.ts'
import { hasBuiltList } from './built-lists.ts'
import { bundleSurface } from './bundle.ts'
import { buildCatalogue } from './catalogue.ts'
import { loadEra2025, serve2025 } from './era-2025.ts'
import { loadEra2026, serve2026 } from './era-2026.ts'
import type { Entry } from './listed.ts'
import { type McpOptions, mount, refuse } from './mount.ts'
import { openSearch } from './search.ts'
import { serviceSurfaces } from './service-surface.ts'
import { openVisits } from './sign-in.ts'

export type { ClientSeen } from './client.ts'
export type { McpOptions } from './mount.ts'

/** Makes something when it is first asked for, and anew for another address: before a server listens it has none, and texts name it. */
const lazily = <made>(make: () => made, address = () => ''): (() => made) => {
  let value: { made: made; at: string } | undefined
  return () => {
    if (value?.at !== address()) value = { made: make(), at: address() }
    return value.made
  }
}

/**
 * `/mcp` of one service, or with `?tools=` of some of its tools. Compiles its tools, and throws an Error that names service.tool and the fault, unless the build has done so:
 * then their list is read with the first request.
 */
export const mcpRoutes = (world: World, service: Service, options: McpOptions): Route[] => {
  const surfaces = lazily(
    () => serviceSurfaces(world, service),
    () => world.base(service),
  )
  if (!hasBuiltList(service)) surfaces()
  const surfaceFor = (req: Request) => surfaces()(req)
  return mount(
    '/mcp',
    { legacy: () => serve2025(surfaceFor), modern: () => serve2026(surfaceFor) },
    options,
    {
      check: req => void surfaceFor(req),
      visit: openVisits(world, [service], { resource: () => resourceOf(world, service) }, refuse),
    },
  )
}

/**
 * `/mcp` of the whole installation: four discovery tools over all services, or with `?services=cat,data` and `?tools=` the
 * tools of those services, or those tools, as `{slug}_{tool}`.
 */
export const bundleRoutes = (world: World, services: readonly Service[], options: McpOptions): Route[] => {
  const surfaces = lazily(
    () => bundleSurface(world, services),
    () => world.site.url,
  )
  if (!services.every(service => hasBuiltList(service))) surfaces()
  const surfaceFor = (req: Request) => surfaces()(req)
  const resource = () => `${world.site.url}/mcp`
  return mount(
    '/mcp',
    { legacy: () => serve2025(surfaceFor), modern: () => serve2026(surfaceFor) },
    options,
    {
      check: req => void surfaceFor(req),
      visit: openVisits(world, services, { resource, audience: resource }, refuse),
    },
  )
}

/** The ranking of find_tool over some services, for who asks elsewhere than over MCP. */
export const openToolSearch = (services: readonly Service[]) => {
  const search = lazily(() => openSearch(buildCatalogue(services).entries))
  return (question: string): readonly Pick<Entry, 'service' | 'tool'>[] => search()(question)
}

/** Loads both SDKs, which together take some 0.2 s; for after the start. */
export const warm = async (): Promise<void> => {
  await Promise.all([loadEra2025(), loadEra2026()])
}
