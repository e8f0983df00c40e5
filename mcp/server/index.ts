import type { World } from '../kernel/call.ts'
import type { Route } from '../kernel/http.ts'
import type { Service } from '../kernel/service.ts'
import { bundle } from './bundle.ts'
import { bind2025, era2025, loadEra2025 } from './era-2025.ts'
import { bind2026, era2026, loadEra2026 } from './era-2026.ts'
import { type McpOptions, mount } from './mount.ts'
import { serviceSurface } from './service-surface.ts'

export type { ClientSeen } from './client.ts'
export type { McpOptions } from './mount.ts'

/** `/mcp` of one service. Compiles its tools, and throws an Error that names service.tool and the fault. */
export const mcpRoutes = (world: World, service: Service, options: McpOptions): Route[] => {
  const surface = serviceSurface(world, service)
  return mount(
    '/mcp',
    {
      legacy: () => era2025(req => bind2025(surface, req)),
      modern: () => era2026(req => bind2026(surface, req)),
    },
    options,
  )
}

/**
 * `/mcp` of the whole installation: four discovery tools over all services, or with `?services=cat,data` the tools of
 * those services as `{slug}_{tool}`.
 */
export const bundleRoutes = (world: World, services: readonly Service[], options: McpOptions): Route[] => {
  const surfaceFor = bundle(world, services)
  return mount(
    '/mcp',
    {
      legacy: () => era2025(req => bind2025(surfaceFor(req), req)),
      modern: () => era2026(req => bind2026(surfaceFor(req), req)),
    },
    options,
    req => void surfaceFor(req),
  )
}

/** Loads both SDKs, which together take some 0.2 s; for after the start. */
export const warm = async (): Promise<void> => {
  await Promise.all([loadEra2025(), loadEra2026()])
}
