import type { Service } from '../kernel/service.ts'
import { isFree } from '../kernel/tool.ts'
import { checkList, checkTool } from './boot-check.ts'
import { readBuiltList } from './built-lists.ts'
import type { Entry, ListedTool, ToolFacts } from './listed.ts'
import type { PortableSchema } from './portable.ts'
import { payable, toSchema } from './schema.ts'

export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}

const convert = (where: string, what: 'input' | 'output', tool: ToolFacts): PortableSchema => {
  try {
    return toSchema(tool[what], what)
  } catch (error) {
    throw new Error(`${where}: the ${what} cannot be written as JSON Schema: ${(error as Error).message}`)
  }
}

/** Compiles one tool to its frozen listing. Throws an Error that names the tool and the fault. */
export const compileTool = (where: string, tool: ToolFacts): ListedTool => {
  const inputSchema = convert(where, 'input', tool)
  const outputSchema = convert(where, 'output', tool)
  const definition: ListedTool = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema,
    outputSchema: isFree(tool.price) && !tool.quote ? outputSchema : payable(outputSchema),
    annotations: {
      readOnlyHint: tool.hints.readOnly,
      destructiveHint: tool.hints.destructive,
      idempotentHint: tool.hints.idempotent,
      openWorldHint: tool.hints.openWorld,
    },
  }
  checkTool(where, tool, definition)
  return deepFreeze(definition)
}

/** The order of names in every list: by code unit, so that it is the same on every machine. */
export const byName = (a: { name: string }, b: { name: string }): number => {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

const isFreeRead = ({ service, tool }: Entry): boolean =>
  tool.hints.readOnly && isFree(tool.price) && !tool.quote && (tool.auth ?? service.auth).includes('public')

/** Tools as lists show them: by name, behind a free one that reads and needs no input, because some clients try the first. */
export const inListOrder = (entries: readonly Entry[]): readonly Entry[] => {
  const reads = entries.filter(isFreeRead)
  const first = reads.find(({ listed }) => listed.inputSchema.required === undefined) ?? reads[0]
  return first ? [first, ...entries.filter(entry => entry !== first)] : entries
}

const compiledEntries = new WeakMap<Service, readonly Entry[]>()

/**
 * The tools of a service that MCP lists, sorted by name, compiled once, or read where the build has compiled them. Throws an Error that
 * names service.tool and the fault.
 */
export const compileService = (service: Service): readonly Entry[] => {
  const cachedEntries = compiledEntries.get(service)
  if (cachedEntries) return cachedEntries
  const built = readBuiltList(service)
  const entries = service.tools
    .filter(tool => tool.mcp !== false)
    .map(tool => {
      const listed = built?.get(tool.name)
      return {
        listed: listed ? deepFreeze(listed) : compileTool(`${service.slug}.${tool.name}`, tool),
        service,
        tool,
      }
    })
    .sort((a, b) => byName(a.listed, b.listed))
  if (!built) checkList(service.slug, entries)
  compiledEntries.set(service, entries)
  return entries
}
