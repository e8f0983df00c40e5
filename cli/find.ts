import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { costText } from '../mcp/kernel/cost.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { isPlanned, type Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { asRecord } from '../mcp/lib/json.ts'
import { buildCatalogue } from '../mcp/server/catalogue.ts'
import { openSearch } from '../mcp/server/search.ts'
import { openNames } from '../mcp/server/tool-names.ts'
import { findService, readArguments } from './arguments.ts'
import { localServer } from './server.ts'
import { toTable } from './table.ts'

type Named = { service: Service; tool: AnyTool }

/** A tool that was named, with its input as clients are told it. */
type NamedTool = Named & { listed: { inputSchema: object } }

/** A tool as commands name it. */
const pathOf = ({ service, tool }: Named): string => `${service.slug}.${tool.name}`

/** All tools, by the ranking and the names of find_tool. */
const openCatalogue = () => {
  const { entries } = buildCatalogue(services)
  const search = openSearch(entries)
  return { search, byName: openNames(entries, search) }
}

/** Names of the tools that fit some words best. */
export const findNearestTools = (words: string, count = 3): string[] =>
  openCatalogue().search(words).slice(0, count).map(pathOf)

/** The tool of a name, in any spelling: `data.dns-lookup`, `data_dns_lookup`, `dns-lookup`. Throws `not_found` with the nearest. */
export const getTool = (name = ''): NamedTool => {
  if (name === '')
    throw new ToolError('invalid_input', 'Say which tool: octagent call <service>.<tool>.', {
      hint: 'octagent find "<words>" finds one, and octagent list shows them all, such as cat.pet.',
    })
  const { search, byName } = openCatalogue()
  try {
    return byName(name)
  } catch (cause) {
    const nearest = cause instanceof ToolError ? cause.extra.params?.nearest : undefined
    if (typeof nearest !== 'string') throw cause
    const near = [byName(nearest), ...search(name.replace(/[._-]/g, ' '))].map(pathOf)
    throw new ToolError('not_found', `There is no tool "${name}".`, {
      hint: `Did you mean ${[...new Set(near)].slice(0, 3).join(', ')}? octagent find "<words>" finds others.`,
    })
  }
}

const costOf = ({ service, tool }: Named): string =>
  isPlanned(service) ? 'planned' : costText(tool, { channel: 'rest' })

/** `octagent find "<words>" [--in service] [--json]`: tools by what they do, the best match first, as find_tool ranks them. */
export const find = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, { in: { type: 'string' } })
  const words = positionals.join(' ')
  if (words === '')
    throw new ToolError('invalid_input', 'Say what the tool should do: octagent find "<words>".')
  const service = values.in === undefined ? undefined : findService(services, values.in)
  const tools = openCatalogue()
    .search(words)
    .filter(each => service === undefined || each.service === service)
    .slice(0, 10)
    .map(each => ({ name: pathOf(each), cost: costOf(each), title: each.tool.title }))
  if (values.json) console.log(JSON.stringify(tools, null, 2))
  else if (tools.length > 0) console.log(toTable(tools.map(({ name, cost, title }) => [name, cost, title])))
  else console.error('No tool fits. Use other words; octagent list shows all.')
  return tools.length > 0 ? 0 : 1
}

const typeText = ({ type, enum: values }: Record<string, unknown>): string => {
  if (Array.isArray(values)) return values.join(' | ')
  return typeof type === 'string' ? type : 'any'
}

/** Fields of an input as rows: name, type, what it is. */
const fieldRows = (schema: object): string[][] => {
  const { properties, required } = asRecord(schema)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(asRecord(properties)).map(([name, value]) => {
    const field = asRecord(value)
    return [
      `  ${name}`,
      typeText(field),
      needed.includes(name) ? 'required' : '',
      String(field.description ?? ''),
    ]
  })
}

/** A tool in words: what it does, what it costs, its input, and a call that works. */
export const describeTool = (named: NamedTool): string => {
  const { tool, listed } = named
  const rows = fieldRows(listed.inputSchema)
  return [
    `${pathOf(named)}: ${tool.title}`,
    '',
    tool.description,
    `Price: ${costOf(named)}`,
    '',
    rows.length > 0 ? `Input:\n${toTable(rows)}` : 'It takes no input.',
    '',
    `Example: octagent call ${pathOf(named)} '${JSON.stringify(tool.examples[0]).replaceAll("'", "'\\''")}'`,
  ].join('\n')
}

/** `octagent describe <service>.<tool> [--json]`. */
export const describe = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const named = getTool(positionals[0])
  const { title, description, examples } = named.tool
  const facts = { name: pathOf(named), title, description, cost: costOf(named), examples }
  if (values.json) console.log(JSON.stringify({ ...facts, input: named.listed.inputSchema }, null, 2))
  else console.log(describeTool(named))
  return 0
}

/** `octagent open <service>.<tool> [--url base] [--json]`: prints the address of the page on which a person tries a tool. */
export const open = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, { url: { type: 'string' } })
  const { service, tool } = getTool(positionals[0])
  const base = values.url?.replace(/\/+$/, '') ?? localServer(readConfig(process.env, services)).url
  const url = `${base}/${service.slug}/tools/${tool.name}`
  console.log(values.json ? JSON.stringify({ url }) : url)
  return 0
}
