import type { World } from '../mcp/kernel/call.ts'
import type { AnyDocument } from '../mcp/kernel/document.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { endpointOperation } from './openapi-endpoint.ts'
import { buildOperation } from './openapi-operation.ts'
import { sharedComponents } from './openapi-responses.ts'
import { buildSecuritySchemes } from './openapi-security.ts'
import { compileSchemas, type Schema } from './schema.ts'
import { readParamNames } from './segments.ts'
import { parseRoute } from './tool-route.ts'

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

const parameters = {
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    'Any text of 1 to 255 visible characters. A repeated call of the same caller, or the same payer, with the same key and body gets the first answer, for 24 h.',
  ),
  PaymentSignature: headerParameter('PAYMENT-SIGNATURE', 'An x402 version 2 payment, as base64 of its JSON.'),
}

const documentOperation = ({ path, title, description }: AnyDocument, params: readonly string[]) => ({
  get: {
    operationId: `document_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`,
    summary: title,
    description,
    tags: ['documents'],
    ...(params.length > 0 && {
      parameters: params.map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    responses: {
      '200': {
        description: title,
        content: {
          'text/markdown': { schema: { type: 'string' } },
          'text/html': { schema: { type: 'string' } },
          'application/json': { schema: { type: 'object' } },
        },
      },
      '4XX': { $ref: '#/components/responses/failure' },
      default: { $ref: '#/components/responses/failure' },
    },
    security: [],
  },
})

type Paths = Record<string, Record<string, object>>

/** Paths that differ in the names of their params only are one path, under the names that came first. */
const openPaths = () => {
  const paths: Paths = {}
  const byShape = new Map<string, string>()
  const add = (path: string, method: string, operationFor: (params: string[]) => object) => {
    const shape = path.replace(/:\w+/g, ':')
    const operationPath = byShape.get(shape) ?? path
    byShape.set(shape, operationPath)
    const template = operationPath.replace(/:(\w+)/g, '{$1}')
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: operationFor(readParamNames(operationPath)),
    }
  }
  return { paths, add }
}

const buildPaths = (service: Service, inputSchema: (tool: AnyTool) => Schema): Paths => {
  const { paths, add } = openPaths()
  for (const tool of service.tools) {
    const routes = (tool.rest?.routes ?? []).map(parseRoute)
    routes.forEach(({ method, path }, at) => {
      const id = at === 0 ? tool.name : `${tool.name}_${at + 1}`
      add(path, method, params =>
        buildOperation(service, tool, inputSchema(tool), { method, params, id, tag: 'routes' }),
      )
    })
    add(`/tools/${tool.name}`, 'POST', params =>
      buildOperation(service, tool, inputSchema(tool), {
        method: 'POST',
        params,
        id: `tools_${tool.name}`,
        tag: 'tools',
      }),
    )
  }
  for (const endpoint of service.endpoints ?? [])
    add(endpoint.path, endpoint.method, params => endpointOperation(service, endpoint, params))
  for (const document of service.documents ?? [])
    add(document.path, 'GET', params => documentOperation(document, params).get)
  return paths
}

/** The schemas of a tool as components, `feed.input` and `feed.output`. */
const schemaComponents = (tool: AnyTool): Record<string, Schema> => {
  const { input, output } = compileSchemas(tool)
  return { [`${tool.name}.input`]: input, [`${tool.name}.output`]: output }
}

type Components = Record<string, Record<string, object>>

/** The components that the paths refer to, themselves or through others, and the schemes that they name. */
const usedComponents = (paths: Paths, all: Components): Components => {
  const used: Components = {}
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'security' && Array.isArray(inner))
        for (const name of inner.flatMap(Object.keys)) take('securitySchemes', name)
      else if (key === '$ref' && typeof inner === 'string') {
        const [, kind, name] = /^#\/components\/([^/]+)\/(.+)$/.exec(inner) ?? []
        if (kind && name) take(kind, name)
      } else follow(inner)
    }
  }
  const take = (kind: string, name: string) => {
    const component = all[kind]?.[name]
    if (!component || used[kind]?.[name]) return
    used[kind] = { ...used[kind], [name]: component }
    follow(component)
  }
  follow(paths)
  return used
}

/** The OpenAPI 3.1 description of a service: every route and mirror, with schemas, examples, failures and prices. */
export const buildOpenApi = (world: World, service: Service): object => {
  const schemas = Object.assign({}, ...service.tools.map(schemaComponents)) as Record<string, Schema>
  const paths = buildPaths(service, tool => schemas[`${tool.name}.input`] ?? {})
  return {
    openapi: '3.1.0',
    info: {
      title: service.name,
      version: service.version,
      description: service.description,
      contact: { name: world.site.organization, url: world.site.url },
      ...(service.license !== undefined && {
        license: { name: service.license, identifier: service.license },
      }),
    },
    servers: [{ url: world.base(service) }],
    tags: [
      { name: 'routes', description: 'The interface of the service' },
      { name: 'tools', description: 'Every tool at POST /tools/{name}, with its input as the body' },
      ...(service.endpoints?.length
        ? [{ name: 'endpoints', description: 'What is not JSON in, JSON out' }]
        : []),
      { name: 'documents', description: 'Pages as HTML, Markdown or JSON, by Accept' },
    ],
    paths,
    components: usedComponents(paths, {
      ...sharedComponents,
      schemas: { ...sharedComponents.schemas, ...schemas },
      parameters,
      securitySchemes: buildSecuritySchemes(service),
    }),
  }
}
