import type { World } from '../mcp/kernel/call.ts'
import { toolFor } from '../mcp/kernel/call-endpoint.ts'
import type { AnyEndpoint } from '../mcp/kernel/endpoint.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, isPriced } from '../mcp/kernel/tool.ts'
import { textRoute } from './page-route.ts'
import { listProtocols, priceMode } from './price.ts'
import { json } from './send.ts'
import { parseRoute } from './tool-route.ts'

const path = '/.well-known/x402'
const maxAge = 300

const priceFacts = (tool: AnyTool) => {
  const { amount, unit, network } = tool.price
  return {
    price: {
      mode: priceMode(tool),
      amount,
      unit,
      ...(network !== undefined && { network }),
    },
    protocols: listProtocols(tool.price),
    settle: tool.settle ?? 'after',
    freeTier: tool.free ?? null,
  }
}

const toAddress = (base: string, path: string): string => base + path.replace(/:(\w+)/g, '{$1}')

const resourcesOfTool = (base: string, service: Service, tool: AnyTool) =>
  [...(tool.rest?.routes ?? []), `POST /tools/${tool.name}`].map(parseRoute).map(place => ({
    url: toAddress(base, place.path),
    method: place.method,
    service: service.slug,
    tool: tool.name,
    title: tool.title,
    description: tool.description,
    mimeType: 'application/json',
    ...priceFacts(tool),
    inputSchema: `${base}/openapi.json#/components/schemas/${tool.name}.input`,
  }))

const resourceOfEndpoint = (base: string, service: Service, endpoint: AnyEndpoint) => ({
  url: toAddress(base, endpoint.path),
  method: endpoint.method,
  service: service.slug,
  endpoint: endpoint.name,
  title: endpoint.title,
  description: endpoint.description,
  mimeType: endpoint.answers?.[0] ?? '*/*',
  ...priceFacts(toolFor(endpoint)),
})

/**
 * Every address of a service that asks for payment, as its tools and endpoints declare it: empty where nothing is priced. A `url` with
 * `{field}` is a template (RFC 6570); `amount` is a decimal string in `unit`, and the 402 of a call has the last word.
 */
export const listResources = (world: World, service: Service) => {
  const base = world.base(service)
  return [
    ...service.tools.filter(isPriced).flatMap(tool => resourcesOfTool(base, service, tool)),
    ...(service.endpoints ?? [])
      .filter(endpoint => isPriced(toolFor(endpoint)))
      .map(endpoint => resourceOfEndpoint(base, service, endpoint)),
  ]
}

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
        resources: services.flatMap(service => listResources(world, service)),
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
