import type { World } from '../mcp/kernel/call.ts'
import type { AnyDocument } from '../mcp/kernel/document.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { endpointOperation } from './openapi-endpoint.ts'
import { buildOperation } from './openapi-operation.ts'
import { sharedComponents } from './openapi-responses.ts'
import { schemaComponents } from './openapi-schemas.ts'
import { buildSecuritySchemes } from './openapi-security.ts'
import type { Schema } from './schema.ts'
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

/** The OpenAPI 3.1 description of a service: every route and mirror, with schemas, examples, failures and prices. */
export const buildOpenApi = (world: World, service: Service): object => {
  const schemas = Object.assign({}, ...service.tools.map(schemaComponents)) as Record<string, Schema>
  return {
    openapi: '3.1.0',
    info: { title: service.name, version: service.version, description: service.description },
    servers: [{ url: world.base(service) }],
    tags: [
      { name: 'routes', description: 'The interface of the service' },
      { name: 'tools', description: 'Every tool at POST /tools/{name}, with its input as the body' },
      ...(service.endpoints?.length
        ? [{ name: 'endpoints', description: 'What is not JSON in, JSON out' }]
        : []),
      { name: 'documents', description: 'Pages as HTML, Markdown or JSON, by Accept' },
    ],
    paths: buildPaths(service, tool => schemas[`${tool.name}.input`] ?? {}),
    components: {
      ...sharedComponents,
      schemas: { ...sharedComponents.schemas, ...schemas },
      parameters,
      securitySchemes: buildSecuritySchemes(service),
    },
  }
}
