import type { World } from '../mcp/kernel/call.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { textRoute } from './page-route.ts'
import { isPriced, protocols } from './price.ts'
import { json } from './send.ts'
import { routeOf } from './tool-route.ts'

const path = '/.well-known/x402'
const maxAge = 300

const resourcesOfTool = (base: string, service: Service, tool: AnyTool) => {
  const { amount, unit, network } = tool.price
  return [...(tool.rest?.routes ?? []), `POST /tools/${tool.name}`].map(routeOf).map(place => ({
    url: base + place.path.replace(/:(\w+)/g, '{$1}'),
    method: place.method,
    service: service.slug,
    tool: tool.name,
    title: tool.title,
    description: tool.description,
    mimeType: 'application/json',
    price: {
      mode: tool.quote ? 'dynamic' : 'fixed',
      amount,
      unit,
      ...(network !== undefined && { network }),
    },
    protocols: protocols[unit],
    settle: tool.settle ?? 'after',
    freeTier: tool.free ?? null,
    inputSchema: `${base}/openapi.json#/components/schemas/${tool.name}.input`,
  }))
}

/**
 * Every address of a service that asks for payment, as its tools declare it: empty where nothing is priced. A `url` with
 * `{field}` is a template (RFC 6570); `amount` is a decimal string in `unit`, and the 402 of a call has the last word.
 */
export const resourcesOf = (world: World, service: Service) =>
  service.tools.filter(isPriced).flatMap(tool => resourcesOfTool(world.base(service), service, tool))

const manifestRoute = (
  address: () => string,
  name: () => object,
  services: readonly Service[],
  world: World,
) =>
  textRoute(
    path,
    json,
    address,
    () =>
      JSON.stringify({
        x402Version: 2,
        ...name(),
        resources: services.flatMap(service => resourcesOf(world, service)),
      }),
    maxAge,
  )

/** What a service sells, for x402 buyers, at its own `/.well-known/x402`. */
export const serviceManifestRoute = (world: World, service: Service) => {
  const base = () => world.base(service)
  const name = () => ({ name: service.name, url: base(), openapi: `${base()}/openapi.json` })
  return manifestRoute(base, name, [service], world)
}

/** What a whole installation sells: the resources of every service, and where each service lists its own. */
export const siteManifestRoute = (world: World, services: readonly Service[], address: () => string) => {
  const name = () => ({
    name: 'Octagent',
    url: world.site.url,
    manifests: services.map(service => `${world.base(service)}${path}`),
  })
  return manifestRoute(address, name, services, world)
}
