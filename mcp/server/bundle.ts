import { z } from 'zod'
import type { World } from '../kernel/call.ts'
import { ToolError, toToolError } from '../kernel/error.ts'
import type { Request } from '../kernel/http.ts'
import { checkInput } from '../kernel/pipeline/check.ts'
import { isPlanned, type Service } from '../kernel/service.ts'
import { free } from '../kernel/tool.ts'
import { callTool } from './call-tool.ts'
import { buildCatalogue, type Catalogue } from './catalogue.ts'
import { byName, compileTool, inListOrder } from './compile.ts'
import { describeTool } from './describe-tool.ts'
import { findTool } from './find-tool.ts'
import type { Entry, ToolFacts } from './listed.ts'
import { openResources } from './resources.ts'
import { toErrorResult } from './result.ts'
import { openSearch } from './search.ts'
import { keepSelections, requestedNames } from './selection.ts'
import {
  caller,
  checkInstructions,
  conventions,
  extensionsFor,
  icons,
  outputScope,
  sealFor,
  withIcons,
} from './service-surface.ts'
import { type CallResult, PersonAsked, type Surface, type ToolRequest } from './surface.ts'
import { abridgedIn, toToolList } from './tool-list.ts'
import { openNames, toolName } from './tool-names.ts'

const info = (world: World) => ({
  name: 'bundle',
  title: `${world.site.organization}: all services`,
  version: '1.0.0',
  icons,
})

const Arguments = z
  .looseObject({}, 'Send the arguments as an object: {"field": value}, or as the JSON of one.')
  .optional()
  .meta({
    description: 'The arguments, as describe_tool tells them; open: each tool has its own',
    open: true,
  })
const CallInput = z.object({ name: toolName, arguments: Arguments }).strict()

type CallerName = 'read_tool' | 'call_tool'

/** The bundle's tools that call others: they have no handlers, because what they call has the only one. */
const callerFacts = (name: CallerName, example: string): ToolFacts => ({
  name,
  input: CallInput,
  output: z.looseObject({}),
  needs: [],
  price: free,
  examples: [{ name: example, arguments: {} }],
  ...(name === 'read_tool'
    ? {
        title: 'Call a tool that only reads',
        description:
          'Calls a tool that only reads, by name, and answers exactly as that tool does, with its price, its credentials and its failures; it refuses every other tool. Use describe_tool first to see the arguments.',
        hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
      }
    : {
        title: 'Call a tool',
        description:
          'Calls any tool by name and answers exactly as that tool does, with its price, its credentials and its failures. Use describe_tool first to see the arguments, and read_tool for tools that only read.',
        hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      }),
})

const refuseWriting = ({ listed: { name }, tool }: Entry): void => {
  if (tool.hints.readOnly) return
  throw new ToolError('forbidden', `name: ${name} does more than read.`, {
    issues: [{ path: 'name', message: 'this tool does more than read' }],
    hint: 'Call it with call_tool.',
  })
}

const discovery = (world: World, catalogue: Catalogue): Surface => {
  const { entries } = catalogue
  let search: ReturnType<typeof openSearch> | undefined
  const find = (question: string) => {
    search ??= openSearch(entries)
    return search(question)
  }
  const findEntry = openNames(entries, find)
  const payable = world.gate !== undefined
  const tools = [findTool(catalogue, find, payable), describeTool(catalogue, findEntry, payable)]
  // The pipeline runs tools of services; these two belong to none and read its slug and its auth only.
  const service = { slug: 'bundle', auth: ['public'], tools } as unknown as Service
  const ownEntries = tools.map(tool => ({ listed: compileTool(`bundle.${tool.name}`, tool), service, tool }))
  const callers = (['read_tool', 'call_tool'] as const).map(name => {
    const [example] = entries.filter(({ tool }) => name === 'call_tool' || tool.hints.readOnly)
    return compileTool(`bundle.${name}`, callerFacts(name, example?.listed.name ?? ''))
  })
  const listed = [...ownEntries.map(entry => entry.listed), ...callers].sort(byName)
  const isFinder = ({ name }: { name: string }) => name === 'find_tool'
  const callOwn = caller(world, ownEntries)

  const callInner = async (request: ToolRequest): Promise<CallResult> => {
    try {
      const { name, arguments: input = {} } = checkInput(CallInput, request.input) as z.output<
        typeof CallInput
      >
      const entry = findEntry(name)
      if (request.name === 'read_tool') refuseWriting(entry)
      return await callTool(world, entry, { ...request, name: entry.listed.name, input })
    } catch (error) {
      if (error instanceof PersonAsked) throw error
      return toErrorResult(toToolError(error), world.site.url)
    }
  }

  const [first] = catalogue.services
  const about = catalogue.services
    .map(service => `${service.slug} (${service.name}${isPlanned(service) ? ', planned' : ''})`)
    .join(', ')
  const how = `The tools of all services, behind four: find_tool, describe_tool, read_tool for what only reads, call_tool for all. The services are: ${about}.\nAdd ?services=${first?.slug ?? ''} or ?tools= with names to the address of this server to list some tools directly.`
  return {
    info: info(world),
    instructions: checkInstructions('bundle', `${how}\n\n${conventions(world, entries)}`),
    tools: Object.freeze(listed.toSorted((a, b) => Number(isFinder(b)) - Number(isFinder(a)))),
    resources: openResources(world, catalogue.services, entries),
    extensions: extensionsFor(world, entries),
    seal: sealFor(world),
    call: request =>
      callers.some(({ name }) => name === request.name) ? callInner(request) : callOwn(request),
  }
}

const selectionSurface = (world: World, catalogue: Catalogue, entries: readonly Entry[]): Surface => {
  const services = catalogue.services.filter(({ slug }) =>
    entries.some(({ service }) => service.slug === slug),
  )
  const names = services.map(({ name }) => name)
  const tools = toToolList(withIcons(world, inListOrder(entries)))
  const abridged = abridgedIn(entries, tools)
  return {
    info: info(world),
    instructions: checkInstructions(
      'bundle',
      `Tools of ${names.join(', ')}.\n\n${[outputScope(abridged), conventions(world, entries)].filter(Boolean).join('\n')}`,
    ),
    tools,
    resources: openResources(world, services, entries, abridged),
    extensions: extensionsFor(world, entries),
    seal: sealFor(world),
    call: caller(world, entries),
  }
}

/**
 * The surface that an address asks for: four discovery tools, or those that `?services=` and `?tools=` name. Throws `not_found` for what
 * does not exist. Each choice is compiled once.
 */
export const bundleSurface = (world: World, services: readonly Service[]): ((req: Request) => Surface) => {
  const catalogue = buildCatalogue(services)
  const slugs = services.map(({ slug }) => slug)
  const toolNames = catalogue.entries.map(({ listed }) => listed.name)
  const all = discovery(world, catalogue)
  const choose = keepSelections<Surface>()
  return req => {
    const inServices = requestedNames(req, 'services', slugs)
    const inTools = requestedNames(req, 'tools', toolNames)
    if (!inServices && !inTools) return all
    const entries = catalogue.entries.filter(
      ({ service, listed }) =>
        (inServices?.includes(service.slug) ?? true) && (inTools?.includes(listed.name) ?? true),
    )
    const key = `${inServices?.join() ?? ''};${inTools?.join() ?? ''}`
    return choose(key, () => selectionSurface(world, catalogue, entries))
  }
}
