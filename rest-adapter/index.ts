import type { World } from '../mcp/kernel/call.ts'
import type { Route } from '../mcp/kernel/http.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { endpointRoute } from './endpoint-route.ts'
import type { Paywall } from './paywall.ts'
import { serviceRoutes } from './service-routes.ts'
import { toolPage } from './tool-page.ts'
import { toolRoute } from './tool-route.ts'

/** The name of a tool with its words joined the other way; undefined for one word. */
const otherSpelling = (name: string): string | undefined => {
  const other = name.includes('_') ? name.replaceAll('_', '-') : name.replaceAll('-', '_')
  return other === name ? undefined : other
}

/**
 * Everything a service answers over REST, under its own address: each tool at the routes it declares and at
 * `POST /tools/{name}`, the service's page, and the documents about it.
 */
export const restRoutes = (world: World, service: Service, paywall?: Paywall): Route[] => [
  ...service.tools.flatMap(tool => {
    const page = toolPage({ world, service, tool }, paywall)
    const mirror = toolRoute(world, service, tool, `POST /tools/${tool.name}`, page.askPayment)
    const other = otherSpelling(tool.name)
    return [
      ...(other === undefined ? [] : [{ ...mirror, path: `/tools/${other}` }]),
      ...(tool.rest?.routes ?? []).map(route => toolRoute(world, service, tool, route, page.askPayment)),
      {
        ...mirror,
        handle: (...[req, res, params]: Parameters<Route['handle']>) =>
          page.isForm(req) ? page.runForm(req, res) : mirror.handle(req, res, params),
      },
      ...page.routes,
    ]
  }),
  ...(service.endpoints ?? []).map(endpoint => endpointRoute(world, service, endpoint)),
  ...serviceRoutes(world, service),
]
