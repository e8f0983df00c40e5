import type { World } from '../mcp/kernel/call.ts'
import type { CallHistory } from '../mcp/kernel/call-history.ts'
import type { Request, Route } from '../mcp/kernel/http.ts'
import { limitReads } from '../mcp/kernel/read-limit.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { catalogueHandler } from './catalogue.ts'
import { documentRoutes, pageText } from './discovery/documents.ts'
import { registryRoutes } from './discovery/registries.ts'
import { registryFacts } from './discovery/registry.ts'
import { docsRoutes } from './docs.ts'
import { healthRoutes, type Ready } from './health.ts'
import { isOperatorRequest, type Metrics, type MetricsOptions, metricsRoute } from './metrics.ts'
import { pageRoute } from './page-route.ts'
import { problemRoutes } from './problems.ts'
import { siteFileRoutes } from './site-files.ts'
import { statusRoute } from './status-page.ts'

export type SiteOptions = {
  readonly world: World
  readonly services: readonly Service[]
  /** The state of the program; in detail for its operator, and without what its checks found for strangers. */
  ready(inDetail: boolean): Promise<Ready>
  /** Calls of the last 24 hours. */
  readonly calls?: CallHistory | undefined
  /** Version of the program. */
  readonly version?: string | undefined
  metrics(): Promise<Metrics>
  readonly metricsAccess: MetricsOptions
  /** Token of the operator's commands, which read the state in detail. */
  readonly operator?: string | undefined
  /** Contact for security faults, for security.txt: mailto: or https:. */
  readonly securityContact?: string | undefined
}

/**
 * What an installation answers at its own address: home page, the documents by which it is found, health, metrics, problem types.
 */
export const siteRoutes = ({
  world,
  services,
  ready,
  calls,
  version,
  metrics,
  metricsAccess,
  operator,
  securityContact,
}: SiteOptions): Route[] => {
  const address = () => [world.site.url, ...services.map(world.base)].join(' ')
  const home = pageRoute(world.shell, '/', address, () => ({
    title: 'Octagent',
    description: 'Agent services over MCP, A2A and REST',
    markdown: pageText({ world, services }),
    data: registryFacts(world, services),
  }))
  const readReady = (req: Request) =>
    ready([metricsAccess.token, operator].some(token => isOperatorRequest(req, { ...metricsAccess, token })))
  const documents = [
    { ...home, handle: catalogueHandler({ world, services }, home) },
    ...documentRoutes({ world, services }),
    ...registryRoutes({ world, services }),
    ...problemRoutes(world.shell, () => world.site.url),
    ...docsRoutes(world.shell, () => world.site.url),
    statusRoute(world, services, readReady, { calls, version }),
  ]
  const files = siteFileRoutes(() => world.site.url, {
    securityContact,
    now: () => world.ports.clock?.now() ?? new Date(),
  })
  return [
    ...limitReads(world, [...documents, ...files]),
    ...healthRoutes(readReady),
    metricsRoute(metrics, metricsAccess),
  ]
}
