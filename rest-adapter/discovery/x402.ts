import type { World } from '../../mcp/kernel/call.ts'
import { toolFor } from '../../mcp/kernel/call-endpoint.ts'
import type { AnyEndpoint } from '../../mcp/kernel/endpoint.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, isPriced } from '../../mcp/kernel/tool.ts'
import { asList } from '../../mcp/lib/json.ts'
import { listProtocols, priceMode } from '../price.ts'
import { parseRoute } from '../tool-route.ts'
import { type Place, placeUrl, servicesOf, titleOf } from './place.ts'

export const x402Path = '/.well-known/x402'

type Fields = Readonly<Record<string, unknown>>

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

/** Finds the 402 of an address without a call; undefined where x402 cannot pay it now. */
const findQuote = async (world: World, service: Service, tool: AnyTool, url: string, method: string) =>
  world.gate?.findQuote({
    service,
    tool,
    input: undefined,
    price: tool.price,
    caller: undefined,
    channel: 'rest',
    resource: url,
    address: url,
    method,
    evidence: { headers: {}, meta: {} },
  })

/** `accepts` of a quote as a member, where there is any. */
const acceptsOf = (quote: Fields | undefined): { accepts?: readonly unknown[] } =>
  quote && asList(quote.accepts).length > 0 ? { accepts: asList(quote.accepts) } : {}

const mirrorOf = (base: string, tool: AnyTool): string => `${base}/tools/${tool.name}`

const resourcesOfTool = async (world: World, service: Service, tool: AnyTool) => {
  const base = world.base(service)
  const accepts = acceptsOf(await findQuote(world, service, tool, mirrorOf(base, tool), 'POST'))
  return [...(tool.rest?.routes ?? []), `POST /tools/${tool.name}`].map(parseRoute).map(route => ({
    url: toAddress(base, route.path),
    method: route.method,
    service: service.slug,
    tool: tool.name,
    title: tool.title,
    description: tool.description,
    mimeType: 'application/json',
    ...priceFacts(tool),
    ...accepts,
    inputSchema: `${base}/openapi.json#/components/schemas/${tool.name}.input`,
  }))
}

const resourceOfEndpoint = async (world: World, service: Service, endpoint: AnyEndpoint) => {
  const url = toAddress(world.base(service), endpoint.path)
  const tool = toolFor(endpoint)
  return {
    url,
    method: endpoint.method,
    service: service.slug,
    endpoint: endpoint.name,
    title: endpoint.title,
    description: endpoint.description,
    mimeType: endpoint.answers?.[0] ?? '*/*',
    ...priceFacts(tool),
    ...acceptsOf(await findQuote(world, service, tool, url, endpoint.method)),
  }
}

const listResources = async (world: World, service: Service) => {
  const tools = service.tools.filter(isPriced).map(tool => resourcesOfTool(world, service, tool))
  const endpoints = (service.endpoints ?? [])
    .filter(endpoint => isPriced(toolFor(endpoint)))
    .map(endpoint => resourceOfEndpoint(world, service, endpoint))
  return [...(await Promise.all(tools)).flat(), ...(await Promise.all(endpoints))]
}

/**
 * What a place sells, for x402 buyers (the draft for this path, draft-hawkins-x402-dns-discovery): every address that asks for payment, as
 * its tools and endpoints declare it, with the `accepts` of its 402. A `url` with `{field}` is a template (RFC 6570); `amount` of a
 * price is a decimal string in `unit`, and the 402 of a call has the last word.
 */
export const x402Manifest = async (place: Place): Promise<object> => {
  const { world, service } = place
  const url = placeUrl(place)
  const services = servicesOf(place)
  // A manifest speaks for its own host alone: what is elsewhere has one of its own.
  const own = services.filter(each => new URL(world.base(each)).host === new URL(url).host)
  const resources = await Promise.all(own.map(each => listResources(world, each)))
  return {
    x402Version: 2,
    kind: 'resource-server',
    ...titleOf(place),
    url,
    docs: `${url}/`,
    ...(service
      ? { openapi: `${url}/openapi.json` }
      : { manifests: services.map(each => `${world.base(each)}${x402Path}`) }),
    resources: resources.flat(),
  }
}

/** A resource as catalogues of x402 list it (`GET /discovery/resources` of the bazaar extension). */
export type CatalogueItem = {
  resource: string
  type: 'http'
  x402Version: 2
  accepts: readonly unknown[]
  lastUpdated: string
  description: string
  mimeType: string
  serviceName: string
  tags: string[]
  extensions: Fields
}

/** Catalogues take printable ASCII of so many characters. */
const isTag = (text: string): boolean => /^[\x20-\x7e]{1,32}$/.test(text)
const maxTags = 5

const catalogueItem = async (
  world: World,
  service: Service,
  tool: AnyTool,
  lastUpdated: string,
): Promise<CatalogueItem[]> => {
  const resource = mirrorOf(world.base(service), tool)
  const quote = await findQuote(world, service, tool, resource, 'POST')
  const { accepts } = acceptsOf(quote)
  if (!quote || !accepts) return []
  return [
    {
      resource,
      type: 'http',
      x402Version: 2,
      accepts,
      lastUpdated,
      description: tool.description,
      mimeType: 'application/json',
      serviceName: service.name,
      tags: [service.slug, ...(tool.a2a?.tags ?? [])].filter(isTag).slice(0, maxTags),
      extensions: quote.extensions as Fields,
    },
  ]
}

/** Every tool that x402 can pay, at the address that takes it as JSON. */
export const catalogueItems = async ({ world, services }: Place): Promise<CatalogueItem[]> => {
  const lastUpdated = (world.ports.clock?.now() ?? new Date()).toISOString()
  const items = services.flatMap(service =>
    service.tools.filter(isPriced).map(tool => catalogueItem(world, service, tool, lastUpdated)),
  )
  return (await Promise.all(items)).flat()
}
