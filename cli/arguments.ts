import { type ParseArgsConfig, parseArgs } from 'node:util'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { findNearest } from '../mcp/lib/text/nearest.ts'

type Parsed<options extends NonNullable<ParseArgsConfig['options']>> = {
  args: string[]
  options: options
  allowPositionals: true
  strict: true
}

const json = { json: { type: 'boolean' } } as const

/** `--prot` as parseArgs refuses it. */
const unknownOption = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
    ? /'(-{1,2}[^']*)'/.exec(error.message)?.[1]
    : undefined

const refusal = (error: unknown, names: readonly string[]): ToolError => {
  const options = names.map(name => `--${name}`)
  const strange = unknownOption(error)
  if (strange !== undefined) {
    const nearest = findNearest(strange, options)
    const guess = nearest === undefined ? '' : `Did you mean ${nearest}? `
    return new ToolError('invalid_input', `There is no option ${strange} here.`, {
      hint: `${guess}The options are: ${options.join(', ')}, --help.`,
    })
  }
  const [sentence = 'These options cannot be read.'] =
    error instanceof Error ? error.message.split('\n', 1) : []
  return new ToolError('invalid_input', sentence.replace(/ <value>/, ' with a value'), {
    hint: `The options are: ${options.join(', ')}, --help.`,
  })
}

/** Parses the arguments of a command, all of which take `--json`; an unknown option is `invalid_input`. */
export const readArguments = <options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: options,
): ReturnType<typeof parseArgs<Parsed<options & typeof json>>> => {
  try {
    return parseArgs({ args, options: { ...options, ...json }, allowPositionals: true, strict: true })
  } catch (error) {
    throw refusal(error, [...Object.keys(options), 'json'])
  }
}

const guessAt = (name: string, names: readonly string[]): string => {
  const nearest = findNearest(name, names)
  return nearest === undefined ? '' : `Did you mean ${nearest}? `
}

/** The service of a slug. Throws `not_found` with the nearest, and the slugs there are. */
export const findService = <service extends Pick<Service, 'slug'>>(
  services: readonly service[],
  slug: string,
): service => {
  const service = services.find(service => service.slug === slug)
  if (service) return service
  const slugs = services.map(service => service.slug)
  throw new ToolError('not_found', `There is no service "${slug}".`, {
    hint: `${guessAt(slug, slugs)}The services are: ${slugs.join(', ')}.`,
  })
}

const parseValue = (text: string): unknown => {
  if (!/^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{"].*)$/s.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const takes = (tool: AnyTool, name: string, value: unknown): boolean =>
  tool.input.shape[name]?.safeParse?.(value).success === true

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
    const json = parseValue(value)
    // A field that takes anything is meant as it reads: true is a boolean there.
    const isFlag = typeof json === 'boolean' && takes(tool, name, json)
    return [name, takes(tool, name, 'text') && !isFlag ? value : json] as const
  })
  return Object.fromEntries(pairs)
}
