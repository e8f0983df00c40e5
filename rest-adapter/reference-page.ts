import type { World } from '../mcp/kernel/call.ts'
import type { Route } from '../mcp/kernel/http.ts'
import { sendRepresentation, toRepresentation } from '../mcp/kernel/representation.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { buildOpenApi } from './openapi.ts'
import { keepFor } from './page-route.ts'
import type { Schema } from './schema.ts'
import { schemaTable } from './schema-table.ts'

type Parameter = { name: string; in: string; description?: string; required?: boolean; schema?: Schema }
type Content = Record<string, { schema?: Schema; examples?: Record<string, { value: unknown }> }>
type Answer = { description?: string; content?: Content }

type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { description?: string; content: Content }
  responses: Record<string, Answer>
  security: Record<string, unknown>[]
  'x-payment-info'?: { price: { mode: string; currency: string; amount: string } }
}

type Description = {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, object>>
}

/** A description in which every reference to a component is that component; one that contains itself ends there. */
const resolve = (
  value: unknown,
  { components }: Pick<Description, 'components'>,
  above: string[] = [],
): unknown => {
  if (Array.isArray(value)) return value.map(item => resolve(item, { components }, above))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { $ref?: string }
  if ($ref === undefined)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, resolve(inner, { components }, above)]),
    )
  const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/(.+)$/.exec($ref) ?? []
  return above.includes($ref) ? {} : resolve(components[kind]?.[name] ?? {}, { components }, [...above, $ref])
}

const parameterTable = (parameters: readonly Parameter[], label: string): Html =>
  html`<h4>Parameters</h4>
${schemaTable(
  {
    properties: Object.fromEntries(
      parameters.map(({ name, in: place, description = '', schema }) => [
        name,
        { ...schema, description: `${description.replace(/\.?$/, '.')} In the ${place}.` },
      ]),
    ),
    required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
  },
  `Parameters of ${label}`,
)}`

const contentPart = (content: Content, label: string): Html[] =>
  Object.entries(content).map(([type, { schema, examples = {} }]) => {
    const [example] = Object.values(examples)
    return html`<p class="note">${type}</p>
${schema?.properties && schemaTable(schema, `${label}, ${type}`)}
${example && html`<pre><code>${JSON.stringify(example.value, null, 2)}</code></pre>`}`
  })

const accessText = ({ security }: Operation): string => {
  const ways = security.map(each => Object.keys(each).join(' and ') || 'nobody in particular')
  return ways.length === 0 || (ways.length === 1 && ways[0] === 'nobody in particular')
    ? 'needs no account'
    : `as ${ways.join(', or ')}`
}

const operationPart = (method: string, path: string, operation: Operation): Html => {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const price = operation['x-payment-info']?.price
  const label = `${method} ${path}`
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const bad = Object.keys(responses).filter(status => /^[45]/.test(status))
  return html`<section><h3 id="${operationId}"><code>${label}</code></h3>
<p><strong>${summary}</strong> · ${price ? `${price.amount} ${price.currency}${price.mode === 'fixed' ? '' : ', by quote'}` : 'free'} · ${accessText(operation)}</p>
${description && html`<p>${description}</p>`}
<details><summary>Input and answer of ${label}</summary>
${parameters.length > 0 && parameterTable(parameters, label)}
${requestBody && html`<h4>Body</h4>${contentPart(requestBody.content, `Body of ${label}`)}`}
${good.map(([status, answer]) => html`<h4>${status}</h4><p>${answer.description}</p>${contentPart(answer.content ?? {}, `Answer ${status} of ${label}`)}`)}
<p class="note">Fails with ${bad.join(', ')}.</p></details></section>
`
}

type Place = [method: string, path: string, operation: Operation]

/** The operations of a tag. The mirror of a tool that has a route of its own says the same again, and is left out. */
const operationsOf = ({ paths }: Description, tag: string): Place[] => {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Place => [method.toUpperCase(), path, operation]),
  )
  const ids = new Set(all.map(([, , { operationId }]) => operationId))
  const isMirror = ({ tags, operationId }: Operation) =>
    tags.includes('tools') && ids.has(operationId.replace(/^tools_/, ''))
  return all.filter(([, , operation]) => operation.tags.includes(tag) && !isMirror(operation))
}

const toBody = (description: Description, site: string): Html => {
  const { info, servers, tags } = description
  const base = servers[0]?.url ?? ''
  return html`<h1>Reference of ${info.title}</h1>
<p class="lead">${info.description}</p>
<p>Version ${info.version}, at <code>${base}</code>. The same for programs: <code>${base}/openapi.json</code> (OpenAPI 3.1). Every tool answers at <code>POST /tools/{name}</code>, too, with its input as the body.</p>
${tags.map(({ name, description: about }) => {
  const operations = operationsOf(description, name)
  return (
    operations.length > 0 &&
    html`<h2 id="${name}">${name.charAt(0).toUpperCase() + name.slice(1)}</h2>
<p>${about}.</p>
${operations.map(([method, path, operation]) => operationPart(method, path, operation))}`
  )
})}
<h2 id="failures">Failures</h2>
<p>Each failure is a problem document (RFC 9457): <a href="${site}/problems">every way a call can fail</a>.</p>`
}

/**
 * `/reference`: the OpenAPI description of a service as a page, rendered here. A viewer that runs in the browser (Scalar, Redoc) is
 * megabytes of script which sets styles inline, and reads nothing without scripts.
 */
export const referenceRoute = (world: World, service: Service): Route => {
  const base = () => world.base(service)
  const page = keepFor(Number.POSITIVE_INFINITY, base, async () => {
    const raw = buildOpenApi(world, service) as Description
    const description = { ...raw, paths: resolve(raw.paths, raw) as Description['paths'] }
    const { html: text, headers } = world.shell({
      title: `Reference of ${service.name}`,
      description: `Every route of ${service.name}, with its input, its answers and its price`,
      base: base(),
      above: [
        { title: 'Tools', url: `${world.site.url}/` },
        { title: service.name, url: `${base()}/` },
      ],
      body: toBody(description, world.site.url).html,
    })
    return { representation: toRepresentation('text/html; charset=utf-8', text), headers }
  })
  return {
    method: 'GET',
    path: '/reference',
    async handle(req, res) {
      const { representation, headers } = await page()
      await sendRepresentation(req, res, representation, { maxAge: 60, vary: 'Origin', headers })
    },
  }
}
