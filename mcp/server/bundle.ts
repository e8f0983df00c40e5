import { z } from 'zod'
import type { World } from '../kernel/call.ts'
import { echo } from '../kernel/echo.ts'
import { ToolError, toToolError } from '../kernel/error.ts'
import { parseUrlQuery, type Request } from '../kernel/http.ts'
import { checkInput } from '../kernel/pipeline/check.ts'
import type { Service } from '../kernel/service.ts'
import { free } from '../kernel/tool.ts'
import { callTool } from './call-tool.ts'
import { buildCatalogue, type Catalogue } from './catalogue.ts'
import { byName, compileTool, type ToolFacts } from './compile.ts'
import { describeTool, findEntry, toolName } from './describe-tool.ts'
import { findTool } from './find-tool.ts'
import { openResources } from './resources.ts'
import { failed } from './result.ts'
import { caller, checkInstructions, conventions, extensionsFor } from './service-surface.ts'
import type { CallResult, Surface, ToolRequest } from './surface.ts'
import { toToolList } from './tool-list.ts'

const info = (world: World) => ({
  name: 'bundle',
  title: `${world.site.organization}: all services`,
  version: '1.0.0',
})

const Arguments = z.looseObject({}).default({}).describe('The arguments, as describe_tool tells them')
const CallInput = z.object({ name: toolName, arguments: Arguments }).strict()

/** The third of the bundle's tools: it has no handler, because what it calls has the only one. */
const callToolFacts = (catalogue: Catalogue): ToolFacts => ({
  name: 'call_tool',
  title: 'Call a tool',
  description:
    'Calls a tool by name and answers exactly as that tool does, with its price, its credentials and its failures. Use describe_tool first to see the arguments.',
  input: CallInput,
  output: z.looseObject({}),
  needs: [],
  price: free,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  examples: [{ name: catalogue.entries[0]?.listed.name ?? '', arguments: {} }],
})

const discovery = (world: World, catalogue: Catalogue): Surface => {
  const tools = [findTool(catalogue), describeTool(catalogue)]
  // The pipeline runs tools of services; these two belong to none and read its slug and its auth only.
  const service = { slug: 'bundle', auth: ['public'], tools } as unknown as Service
  const ownEntries = tools.map(tool => ({ listed: compileTool(`bundle.${tool.name}`, tool), service, tool }))
  const callDefinition = compileTool('bundle.call_tool', callToolFacts(catalogue))
  const callOwn = caller(world, ownEntries)
  const entries = new Map(catalogue.entries.map(entry => [entry.listed.name, entry]))

  const callInner = async (request: ToolRequest): Promise<CallResult> => {
    try {
      const { name, arguments: input } = checkInput(CallInput, request.input) as z.output<typeof CallInput>
      return await callTool(world, findEntry(entries, name), { ...request, name, input })
    } catch (error) {
      return failed(toToolError(error), world.site.url)
    }
  }

  const [first] = catalogue.services
  const about = catalogue.services.map(({ slug, name }) => `${slug} (${name})`).join(', ')
  const how = `The tools of all services, behind three: find_tool, describe_tool, call_tool. The services are: ${about}.\nAdd ?services=${first?.slug ?? ''} to the address of this server to list the tools of some services directly.`
  return {
    info: info(world),
    instructions: checkInstructions('bundle', `${how}\n\n${conventions(catalogue.entries)}`),
    tools: Object.freeze([...ownEntries.map(entry => entry.listed), callDefinition].sort(byName)),
    resources: openResources(world, catalogue.services, catalogue.entries),
    extensions: extensionsFor(world, catalogue.entries),
    call: request => (request.name === callDefinition.name ? callInner(request) : callOwn(request)),
  }
}

const selectionSurface = (world: World, catalogue: Catalogue, slugs: ReadonlySet<string>): Surface => {
  const entries = catalogue.entries.filter(({ service }) => slugs.has(service.slug))
  const services = catalogue.services.filter(({ slug }) => slugs.has(slug))
  const names = services.map(({ name }) => name)
  const tools = toToolList(entries)
  return {
    info: info(world),
    instructions: checkInstructions('bundle', `Tools of ${names.join(', ')}.\n\n${conventions(entries)}`),
    tools,
    resources: openResources(world, services, entries, tools),
    extensions: extensionsFor(world, entries),
    call: caller(world, entries),
  }
}

const requestedSlugs = (req: Request, knownSlugs: readonly string[]): ReadonlySet<string> | undefined => {
  const { services } = parseUrlQuery(req)
  if (services === undefined) return undefined
  const slugs = String(services)
    .split(',')
    .map(slug => slug.trim())
    .filter(slug => slug !== '')
  const strange = slugs.find(slug => !knownSlugs.includes(slug))
  if (strange === undefined && slugs.length > 0) return new Set(slugs)
  throw new ToolError('not_found', `services: there is no service "${echo(strange ?? '')}".`, {
    hint: `The services are: ${knownSlugs.join(', ')}.`,
  })
}

/**
 * The surface that an address asks for: three discovery tools, or the tools of `?services=`. Throws `not_found` for a
 * service that does not exist. Each choice is compiled once.
 */
export const bundle = (world: World, services: readonly Service[]): ((req: Request) => Surface) => {
  const catalogue = buildCatalogue(services)
  const knownSlugs = services.map(({ slug }) => slug)
  const all = discovery(world, catalogue)
  const choices = new Map<string, Surface>()
  return req => {
    const slugs = requestedSlugs(req, knownSlugs)
    if (!slugs) return all
    const key = knownSlugs.filter(slug => slugs.has(slug)).join()
    const surface = choices.get(key) ?? selectionSurface(world, catalogue, slugs)
    choices.set(key, surface)
    return surface
  }
}
