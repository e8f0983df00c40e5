import { echo } from '../../mcp/kernel/echo.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, skillId } from '../../mcp/kernel/tool.ts'
import { isRecord } from '../../mcp/lib/json.ts'
import { invalidParam } from '../wire/failure.ts'
import type { Fields } from '../wire/fields.ts'
import type { Message } from '../wire/message.ts'
import { coerce } from './coerce.ts'
import { compileTexts, readTextFor, type Texts } from './text.ts'

/** The skills of a service, as messages name them. */
export type Skills = { byId: ReadonlyMap<string, AnyTool>; texts: Texts; fallback: AnyTool }

/** A tool, the input the message gives it, and whether the message chose it. */
export type Choice = { tool: AnyTool; input: Fields; chosen: boolean }

/** Reads the skills of a service once. Throws an Error when two tools share a skill id or the fallback is no tool. */
export const compileSkills = (service: Service): Skills => {
  const byId = new Map<string, AnyTool>()
  for (const tool of service.tools) {
    const id = skillId(tool)
    if (id === undefined) continue
    if (byId.has(id)) throw new Error(`${service.slug}: two tools are the A2A skill "${id}"`)
    byId.set(id, tool)
  }
  const fallback = service.tools.find(({ name }) => name === service.fallback)
  if (!fallback) throw new Error(`${service.slug}: the fallback "${service.fallback}" is no tool`)
  return { byId, texts: compileTexts([...byId.values()]), fallback }
}

const selectors = ['skill', 'skillId', 'skill_id', 'action'] as const
const wrappers = ['args', 'arguments', 'input', 'params'] as const

const unknownSkill = ({ byId }: Skills, path: string, id: string) =>
  invalidParam(path, `there is no skill "${echo(id)}"`, `The skills are: ${[...byId.keys()].join(', ')}.`)

/** The selector of a data part: its key, and the tool where there is such a skill. */
const readSelector = ({ byId }: Skills, data: Fields) => {
  for (const key of selectors) {
    const id = data[key]
    if (typeof id === 'string') return { key, id, tool: byId.get(id) }
  }
  return undefined
}

/** The arguments in a data part: what `args`, `arguments`, `input` or `params` hold, and all other keys. */
const readArguments = ({ input: { shape } }: AnyTool, data: Fields, selector: string | undefined): Fields => {
  const isOwnField = (key: string) => Object.hasOwn(shape, key)
  const plain = Object.entries(data).filter(([key]) => key !== selector)
  const wrapped = plain.filter(
    ([key, value]) =>
      wrappers.some(name => name === key) && !isOwnField(key) && (isRecord(value) || value === null),
  )
  const rest = plain.filter(entry => !wrapped.includes(entry))
  return Object.fromEntries([
    ...rest,
    ...wrapped.flatMap(([, value]) => Object.entries((value ?? {}) as Fields)),
  ])
}

/** Gives `value` to the first field of the tool's first template. */
const withPrimary = (tool: AnyTool, args: Fields): Fields => {
  const primary = /<(\w+)>/.exec(tool.a2a?.text?.[0] ?? '')?.[1]
  if (!Object.hasOwn(args, 'value') || Object.hasOwn(tool.input.shape, 'value') || primary === undefined)
    return args
  const { value, ...rest } = args
  return { [primary]: typeof value === 'string' ? coerce(tool, primary, value) : value, ...rest }
}

const mergeData = ({ parts }: Message): Fields | undefined => {
  const records = parts.flatMap(part =>
    'data' in part ? [isRecord(part.data) ? part.data : { value: part.data }] : [],
  )
  if (records.length < 2) return records[0]
  return Object.fromEntries(records.reverse().flatMap(data => Object.entries(data)))
}

const joinText = ({ parts }: Message): string =>
  parts
    .flatMap(part => ('text' in part ? [part.text] : []))
    .join('\n')
    .trim()

const jsonObject = (text: string): Fields | undefined => {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const fallbackFor = ({ fallback }: Skills, text: string, data: Fields = {}): Choice => {
  const { shape } = fallback.input
  const knownFields = Object.entries(readArguments(fallback, data, undefined)).filter(([key]) =>
    Object.hasOwn(shape, key),
  )
  const textField = text !== '' && Object.hasOwn(shape, 'text') ? { text } : {}
  return { tool: fallback, input: { ...textField, ...Object.fromEntries(knownFields) }, chosen: false }
}

/** The tool that metadata names, with what the text says as its argument. */
const byMetadata = (
  skills: Skills,
  hints: readonly Fields[],
  text: string,
  data: Fields,
): Choice | undefined => {
  const id = hints.flatMap(hint => [hint.skill, hint.skillId]).find(value => typeof value === 'string')
  if (id === undefined) return undefined
  const tool = skills.byId.get(id as string)
  if (!tool) throw unknownSkill(skills, 'metadata.skill', id as string)
  const primary = tool.a2a?.text?.[0]?.includes('<') && text !== '' ? { value: text } : {}
  const parsedInput = readTextFor(tool, text)?.input ?? withPrimary(tool, primary)
  return {
    tool,
    input: { ...parsedInput, ...withPrimary(tool, readArguments(tool, data, undefined)) },
    chosen: true,
  }
}

/**
 * The tool a message is for: a data part that names a skill, then metadata, then text that is such a data part, then
 * the text templates, then the service's fallback. Where no tool has a template, text never chooses one. Throws -32602
 * with the skill ids for a skill that is not there.
 */
export const choose = (skills: Skills, message: Message, hints: readonly Fields[]): Choice => {
  const data = mergeData(message)
  const text = joinText(message)
  const selector = data && readSelector(skills, data)
  if (data && selector?.tool) {
    const { tool, key } = selector
    return { tool, input: withPrimary(tool, readArguments(tool, data, key)), chosen: true }
  }
  if (selector && selector.key !== 'action') throw unknownSkill(skills, selector.key, selector.id)
  if (skills.texts.silent && !data) return fallbackFor(skills, text)

  const choice = byMetadata(skills, hints, text, data ?? {})
  if (choice) return choice
  const json = skills.texts.silent ? undefined : jsonObject(text)
  if (json && readSelector(skills, json))
    return choose(skills, { ...message, parts: [{ data: { ...json, ...data } }] }, hints)
  const match = skills.texts.silent ? undefined : skills.texts.read(text)
  if (match) {
    const args = data ? withPrimary(match.tool, readArguments(match.tool, data, undefined)) : {}
    return { tool: match.tool, input: { ...match.input, ...args }, chosen: true }
  }
  if (selector) throw unknownSkill(skills, selector.key, selector.id)
  return fallbackFor(skills, text, data)
}
