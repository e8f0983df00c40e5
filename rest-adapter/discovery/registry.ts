import type { World } from '../../mcp/kernel/call.ts'
import { toolFor } from '../../mcp/kernel/call-endpoint.ts'
import type { AnyEndpoint } from '../../mcp/kernel/endpoint.ts'
import { needName } from '../../mcp/kernel/need.ts'
import { isPlanned, type Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, skillId } from '../../mcp/kernel/tool.ts'
import { compileSchemas } from '../schema.ts'

const listSurfaces = (tool: AnyTool) => {
  const skill = skillId(tool)
  return {
    mcp: tool.mcp !== false,
    a2a: skill === undefined ? null : { skill, text: tool.a2a?.text ?? [], tags: tool.a2a?.tags ?? [] },
    rest: [...(tool.rest?.routes ?? []), `POST /tools/${tool.name}`],
  }
}

/** Everything a program can know of a tool before it calls it. */
export const toolFacts = (service: Service, tool: AnyTool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  keywords: tool.keywords ?? [],
  price: tool.price,
  quoted: tool.quote !== undefined,
  free: tool.free ?? null,
  settle: tool.settle ?? 'after',
  auth: tool.auth ?? service.auth,
  hints: tool.hints,
  needs: tool.needs.map(needName),
  surfaces: listSurfaces(tool),
  status: tool.rest?.status ?? 200,
  input: compileSchemas(tool).input,
  output: compileSchemas(tool).output,
  examples: tool.examples,
})

const endpointFacts = (service: Service, endpoint: AnyEndpoint) => ({
  name: endpoint.name,
  title: endpoint.title,
  description: endpoint.description,
  route: `${endpoint.method} ${endpoint.path}`,
  body: endpoint.body,
  accepts: endpoint.accepts ?? [],
  answers: endpoint.answers ?? [],
  price: toolFor(endpoint).price,
  auth: endpoint.auth ?? service.auth,
  needs: endpoint.needs.map(needName),
})

/** Everything a program can know of a service before it calls it. The same bytes for the same program and address. */
export const serviceFacts = (world: World, service: Service) => {
  const base = world.base(service)
  return {
    label: service.label,
    slug: service.slug,
    name: service.name,
    description: service.description,
    version: service.version,
    status: isPlanned(service) ? 'planned' : 'live',
    url: base,
    card: `${base}${service.card.path}`,
    mcp: `${base}/mcp`,
    openapi: `${base}/openapi.json`,
    llms: `${base}/llms.txt`,
    interfaces: service.interfaces.map(({ binding, path, version }) => ({
      binding,
      version,
      url: `${base}${path}`,
    })),
    documents: (service.documents ?? []).map(({ path, title, description }) => ({
      url: `${base}${path.replace(/:(\w+)/g, '{$1}')}`,
      title,
      description,
    })),
    tools: service.tools.map(tool => toolFacts(service, tool)),
    endpoints: (service.endpoints ?? []).map(endpoint => endpointFacts(service, endpoint)),
  }
}

/** The whole registry as one document. */
export const registryFacts = (world: World, services: readonly Service[]) => ({
  name: 'Octagent',
  organization: world.site.organization,
  url: world.site.url,
  mcp: `${world.site.url}/mcp`,
  services: services.map(service => serviceFacts(world, service)),
})
