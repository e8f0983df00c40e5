import { type ParseArgsConfig, parseArgs } from 'node:util'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'

type Parsed<options extends NonNullable<ParseArgsConfig['options']>> = {
  args: string[]
  options: options
  allowPositionals: true
  strict: true
}

/** Parses the arguments of a command; an unknown option is `invalid_input`. */
export const readArguments = <options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: options,
): ReturnType<typeof parseArgs<Parsed<options>>> => {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new ToolError(
      'invalid_input',
      error instanceof Error ? error.message : 'These options cannot be read.',
    )
  }
}

/** The service of a slug. Throws `not_found` with the slugs there are. */
export const findService = (services: readonly Service[], slug: string): Service => {
  const service = services.find(service => service.slug === slug)
  if (service) return service
  throw new ToolError('not_found', `There is no service "${slug}".`, {
    hint: `The services are: ${services.map(service => service.slug).join(', ')}.`,
  })
}

/** The tool of `service.tool`. Throws `not_found` with what is there. */
export const findTool = (services: readonly Service[], path = ''): { service: Service; tool: AnyTool } => {
  const [slug = '', name = ''] = path.split('.')
  const service = findService(services, slug)
  const tool = service.tools.find(candidate => candidate.name === name)
  if (tool) return { service, tool }
  throw new ToolError('not_found', `${slug} has no tool "${name}".`, {
    hint: `Its tools are: ${service.tools.map(candidate => candidate.name).join(', ')}.`,
  })
}

const readValue = (text: string): unknown => {
  if (!/^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{"].*)$/s.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const stringFields = (tool: AnyTool, name: string): boolean =>
  tool.input.shape[name]?.safeParse?.('text').success === true

/** Input from one JSON object, or from `key=value` words; a value is JSON where the field is not text. */
export const readInput = (tool: AnyTool, words: readonly string[]): Record<string, unknown> => {
  const [first] = words
  if (words.length === 1 && first?.trimStart().startsWith('{')) {
    try {
      return JSON.parse(first) as Record<string, unknown>
    } catch {
      throw new ToolError('malformed', 'The input is not valid JSON.')
    }
  }
  const pairs = words.map(word => {
    const cut = word.indexOf('=')
    if (cut < 1) throw new ToolError('malformed', `"${word}" is neither key=value nor a JSON object.`)
    const name = word.slice(0, cut)
    const value = word.slice(cut + 1)
    return [name, stringFields(tool, name) ? value : readValue(value)] as const
  })
  return Object.fromEntries(pairs)
}
