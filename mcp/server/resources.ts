import { randomUUID } from 'node:crypto'
import type { World } from '../kernel/call.ts'
import { type AnyDocument, isSinglePage } from '../kernel/document.ts'
import { echo } from '../kernel/echo.ts'
import { rpcCode, ToolError, toToolError } from '../kernel/error.ts'
import { overLimit } from '../kernel/pipeline/limits.ts'
import { provideAll, requireNeeds } from '../kernel/pipeline/provide.ts'
import type { Service } from '../kernel/service.ts'
import { deepFreeze } from './compile.ts'
import type { Entry } from './listed.ts'

export type ListedResource = {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

export type ResourceTemplate = Omit<ListedResource, 'uri'> & { readonly uriTemplate: string }

export type ResourceContent = { uri: string; mimeType: string; text: string }

/** Resources of an endpoint. `list` and `templates` are frozen. */
export type Resources = {
  readonly list: readonly ListedResource[]
  readonly templates: readonly ResourceTemplate[]
  /** The text behind a URI for one client. Throws RefusedRead. */
  read(uri: string, client: string): Promise<ResourceContent>
}

const resourceNotFound = -32002

/**
 * The JSON-RPC error of a read. An unknown URI is -32002 as MCP 2025-11-25 says; SDK v2 writes it as the -32602 of 2026-07-28.
 */
class ResourceError extends Error {
  override readonly name = 'RefusedRead'
  readonly code: number
  readonly data: object

  constructor(code: number, message: string, data: object) {
    super(message)
    this.code = code
    this.data = data
  }
}

const unknownUri = (uri: string): ResourceError =>
  new ResourceError(
    resourceNotFound,
    `There is no resource "${echo(uri)}"; resources/list and resources/templates/list tell which there are.`,
    { uri: echo(uri, 2048) },
  )

/** Documents that one client may read in a minute; some of them are made anew for every reader. */
const documentsPerMinute = 120

const markdown = 'text/markdown'
const jsonSchema = 'application/schema+json'

const documentUri = ({ slug }: Service, { path }: AnyDocument): string => `octagent://${slug}${path}`
/** The address of the whole output schema of a tool. */
export const schemaUri = (slug: string, tool: string): string =>
  `octagent://${slug}/tools/${tool}/output-schema`

const render = async (world: World, service: Service, document: AnyDocument): Promise<string> => {
  const { needs = [], title } = document
  requireNeeds(world, `"${title}"`, needs)
  return (await document.render({ ...provideAll(world, needs), base: world.base(service), params: {} }))
    .markdown
}

const readDocument = async (
  world: World,
  service: Service,
  document: AnyDocument,
  client: string,
): Promise<string> => {
  const started = performance.now()
  try {
    const standing = await world.limits.take(`page:${client}`, Math.min(documentsPerMinute, world.perMinute))
    if (!standing.ok) throw overLimit('Reading documents', standing)
    return await render(world, service, document)
  } catch (cause) {
    const ref = cause instanceof ToolError ? undefined : randomUUID()
    const error = toToolError(cause, ref)
    if (ref)
      world.record({
        service: service.slug,
        tool: 'resources/read',
        channel: 'mcp',
        caller: undefined,
        price: undefined,
        receipt: undefined,
        ms: performance.now() - started,
        code: error.code,
        ref,
        cause,
      })
    throw new ResourceError(rpcCode(error.code), error.message, error.toProblem(world.site.url))
  }
}

type Source = { mimeType: string; text(client: string): string | Promise<string> }

const listedDocuments = (services: readonly Service[]): ListedResource[] =>
  services.flatMap(service =>
    (service.documents ?? []).filter(isSinglePage).map(document => ({
      uri: documentUri(service, document),
      name: `${service.slug}${document.path}`,
      title: document.title,
      description: document.description,
      mimeType: markdown,
    })),
  )

const listedSchemas = (entries: readonly Entry[]): ListedResource[] =>
  entries.map(({ listed: definition, service, tool }) => ({
    uri: schemaUri(service.slug, tool.name),
    name: `${definition.name} output schema`,
    title: `Output of ${definition.title}`,
    description: `JSON Schema of what ${definition.name} answers.`,
    mimeType: jsonSchema,
  }))

const schemaTemplate = (slug: string): ResourceTemplate => ({
  uriTemplate: schemaUri(slug, '{tool}'),
  name: 'output schema',
  title: 'Output schema of a tool',
  description: 'JSON Schema of what a tool answers, by the name that the tool has in its own service.',
  mimeType: jsonSchema,
})

/**
 * The documents of services as Markdown and the output schemas of their tools, listed for those that the list of tools has `abridged`.
 * Undefined when there is nothing to read.
 */
export const openResources = (
  world: World,
  services: readonly Service[],
  entries: readonly Entry[],
  abridged: readonly Entry[] = [],
): Resources | undefined => {
  const sources = new Map<string, Source>()
  for (const service of services)
    for (const document of (service.documents ?? []).filter(isSinglePage))
      sources.set(documentUri(service, document), {
        mimeType: markdown,
        text: client => readDocument(world, service, document, client),
      })
  for (const { listed: definition, service, tool } of entries)
    sources.set(schemaUri(service.slug, tool.name), {
      mimeType: jsonSchema,
      text: () => JSON.stringify(definition.outputSchema),
    })
  if (sources.size === 0) return undefined

  const [only, ...others] = services
  const slug = only && others.length === 0 ? only.slug : '{service}'
  return {
    list: deepFreeze([...listedDocuments(services), ...listedSchemas(abridged)]),
    templates: deepFreeze(entries.length > 0 ? [schemaTemplate(slug)] : []),
    async read(uri, client) {
      const source = sources.get(uri)
      if (!source) throw unknownUri(uri)
      return { uri, mimeType: source.mimeType, text: await source.text(client) }
    },
  }
}
