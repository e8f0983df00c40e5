import { choose, compileSkills } from '../a2a-adapter/skills/choose.ts'
import { missingFields, readWords } from '../a2a-adapter/skills/words.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { findService, readArguments } from './arguments.ts'
import { callOptions, callTool } from './call.ts'
import { findNearestTools } from './find.ts'

const options = { ...callOptions, in: { type: 'string' }, 'dry-run': { type: 'boolean' } } as const

type Reading = { service: Service; tool: AnyTool; input: Readonly<Record<string, unknown>> }

/** What a sentence comes to at one service; undefined where it starts nothing. */
const read = (service: Service, sentence: string): Reading | undefined => {
  const skills = compileSkills(service)
  const message = { messageId: 'say', role: 'user', parts: [{ text: sentence }] } as const
  const found = skills.texts.silent ? readWords(skills.grammar(), sentence) : choose(skills, message, [])
  if ('nearest' in found || ('chosen' in found && !found.chosen)) return undefined
  return { service, tool: found.tool, input: found.input }
}

/** Tools that the words may have meant, by the ranking of find_tool. */
const nearestHint = (sentence: string): string => {
  const near = findNearestTools(sentence)
  const rest = 'octagent list shows what there is; octagent call names it.'
  return near.length > 0 ? `The nearest are ${near.join(', ')}. ${rest}` : rest
}

/** Options of `call`, as they were given. */
const toArguments = (values: Readonly<Record<string, string | boolean | undefined>>): string[] =>
  Object.keys(callOptions).flatMap(name => {
    const value = values[name]
    if (value === undefined || value === false) return []
    return value === true ? [`--${name}`] : [`--${name}`, value]
  })

const toCall = ({ service, tool }: Reading): string => `${service.slug}.${tool.name}`

/**
 * `octagent say "<words>" [--in service] [--dry-run]` and the options of `call`: reads a sentence as agents may send it over A2A, says which
 * call it comes to, and makes it. Nothing is called where it fits several services, or leaves out what is needed.
 */
export const say = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const sentence = positionals.join(' ')
  const asked = values.in === undefined ? services : [findService(services, values.in)]
  const readings = asked.flatMap(service => read(service, sentence) ?? [])
  const [reading, ...others] = readings
  if (!reading)
    throw new ToolError('invalid_input', 'These words start nothing; nothing was done.', {
      hint: nearestHint(sentence),
    })
  if (others.length > 0)
    throw new ToolError('invalid_input', 'These words fit several services; nothing was done.', {
      hint: `Name one with --in: ${readings.map(toCall).join(', ')}.`,
    })
  const input = JSON.stringify(reading.input)
  console.error(`${toCall(reading)} ${input}`)
  const missing = missingFields(reading.tool, reading.input)
  if (missing.length > 0)
    throw new ToolError('invalid_input', `Still needed: ${missing.join(', ')}. Nothing was done.`, {
      hint: `Add them to the words, such as ${missing[0]}=…`,
      issues: missing.map(path => ({ path, message: 'is required' })),
    })
  if (values['dry-run']) return 0
  return callTool([toCall(reading), input, ...toArguments(values)])
}
