import type { World } from '../mcp/kernel/call.ts'
import type { Route } from '../mcp/kernel/http.ts'
import { limitReads } from '../mcp/kernel/read-limit.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { healthRoutes, type Ready } from './health.ts'
import { type Metrics, type MetricsOptions, metricsRoute } from './metrics.ts'
import { pageRoute, textRoute } from './page-route.ts'
import { problemRoutes } from './problems.ts'
import { registryFacts } from './registry-document.ts'
import { json } from './send.ts'
import { siteFileRoutes } from './site-files.ts'
import { siteText } from './site-text.ts'
import { siteManifestRoute } from './x402-manifest.ts'

export type SiteOptions = {
  readonly world: World
  readonly services: readonly Service[]
  ready(): Promise<Ready>
  metrics(): Promise<Metrics>
  readonly metricsAccess: MetricsOptions
  /** Where faults of security are reported, for security.txt: mailto: or https:. */
  readonly securityContact?: string | undefined
}

/**
 * What an installation answers at its own address: home page, llms.txt, registry, x402 manifest, health, metrics,
 * problem types.
 */
export const siteRoutes = ({
  world,
  services,
  ready,
  metrics,
  metricsAccess,
  securityContact,
}: SiteOptions): Route[] => {
  const address = () => [world.site.url, ...services.map(world.base)].join(' ')
  const text = () => siteText(world, services)
  const home = pageRoute('/', address, () => ({
    title: 'Octagent',
    description: 'Agent services over MCP, A2A and REST',
    markdown: text(),
    data: registryFacts(world, services),
    above: [],
    registry: `${world.site.url}/registry.json`,
    beside: [
      { title: 'Registry', url: `${world.site.url}/registry.json` },
      { title: 'llms.txt', url: `${world.site.url}/llms.txt` },
      { title: 'Health', url: `${world.site.url}/readyz` },
    ],
  }))
  const documents = [
    home,
    textRoute('/llms.txt', 'text/plain; charset=utf-8', address, text),
    textRoute('/registry.json', json, address, () => JSON.stringify(registryFacts(world, services))),
    siteManifestRoute(world, services, address),
    ...problemRoutes(() => world.site.url),
  ]
  const files = siteFileRoutes(() => world.site.url, {
    securityContact,
    now: () => world.ports.clock?.now() ?? new Date(),
  })
  return [
    ...limitReads(world, [...documents, ...files]),
    ...healthRoutes(ready),
    metricsRoute(metrics, metricsAccess),
  ]
}
