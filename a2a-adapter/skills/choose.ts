import { echo } from '../../mcp/kernel/echo.ts'
import type { ToolError } from '../../mcp/kernel/error.ts'
import { exampleText, listSkills } from '../../mcp/kernel/help.ts'
import type { Service, SkillGroup } from '../../mcp/kernel/service.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { isRecord } from '../../mcp/lib/json.ts'
import { toPlainName } from '../../mcp/lib/text/plain-name.ts'
import { invalidParam } from '../wire/failure.ts'
import type { Fields } from '../wire/fields.ts'
import type { Message } from '../wire/message.ts'
import { coerce } from './coerce.ts'
import { compileTexts, readTextFor, type TextMatch, type Texts } from './text.ts'
import { compileGrammar, type Grammar, missingFields, readAnswer, readWords } from './words.ts'

/** Operations of a skill by name, and the one that a message without a name gets. */
type Operations = { byName: ReadonlyMap<string, AnyTool>; default: AnyTool | undefined }

/** The skills of a service, as messages name them: by id, or by the name of the tool where that is an operation of one. */
export type Skills = {
  ids: readonly string[]
  byId: ReadonlyMap<string, AnyTool | Operations>
  texts: Texts
  /** The vocabulary of all operations, read at the first text that needs it. */
  grammar(): Grammar
  fallback: AnyTool
  /** Tools that are reached by plain words. */
  prose: readonly AnyTool[]
}

/**
 * A tool, the input the message gives it, whether the message chose it, whether its plain words were read for it, and the refusal of words
 * that start nothing.
 */
export type Choice = { tool: AnyTool; input: Fields; chosen: boolean; prose?: true; refusal?: ToolError }

const toOperations = (slug: string, group: SkillGroup, tools: readonly AnyTool[]): Operations => {
  const byName = new Map(tools.map(tool => [tool.name, tool]))
  const first = group.default === undefined ? undefined : byName.get(group.default)
  if (group.default !== undefined && !first)
    throw new Error(`${slug}: the default "${group.default}" is no operation of the A2A skill "${group.id}"`)
  return { byName, default: first }
}

/**
 * Reads the skills of a service once. Throws an Error when two tools are the same skill, a group is missing or empty, or the fallback
 * is no tool.
 */
export const compileSkills = (service: Service): Skills => {
  const { slug, skillGroups = [] } = service
  const byId = new Map<string, AnyTool | Operations>()
  const add = (id: string, reached: AnyTool | Operations) => {
    if (byId.has(id)) throw new Error(`${slug}: two tools are the A2A skill "${id}"`)
    byId.set(id, reached)
  }
  const skills = listSkills(service)
  for (const { id, group, tools } of skills) {
    const lost = tools.find(({ a2a }) => a2a?.group !== undefined)
    if (!group && lost) throw new Error(`${slug}: the A2A skill "${id}" of ${lost.name} is not declared`)
    if (group) add(id, toOperations(slug, group, tools))
    for (const tool of tools) {
      if (!group) add(id, tool)
      else if (tool.name !== id) add(tool.name, tool)
    }
  }
  for (const { id } of skillGroups)
    if (!skills.some(skill => skill.id === id)) throw new Error(`${slug}: no tool is the A2A skill "${id}"`)
  const fallback = service.tools.find(({ name }) => name === service.fallback)
  if (!fallback) throw new Error(`${slug}: the fallback "${service.fallback}" is no tool`)
  const ids = skills.map(({ id }) => id)
  const tools = skills.flatMap(({ tools }) => tools)
  const prose = tools.filter(({ a2a }) => a2a?.prose !== undefined)
  let grammar: Grammar | undefined
  return {
    ids,
    byId,
    texts: compileTexts(tools),
    grammar() {
      grammar ??= compileGrammar(tools)
      return grammar
    },
    fallback,
    prose,
  }
}

const selectors = ['skill', 'skillId', 'skill_id', 'action'] as const
const wrappers = ['args', 'arguments', 'input', 'params'] as const

const operationKeys = ['operation', 'tool', 'action'] as const

const unknownSkill = ({ ids }: Skills, path: string, id: string) =>
  invalidParam(path, `there is no skill "${echo(id)}"`, `The skills are: ${ids.join(', ')}.`)

const unknownOperation = ({ byName }: Operations, path: string, name: string | undefined) =>
  invalidParam(
    path,
    name === undefined ? 'is missing: the skill has several' : `there is no operation "${echo(name)}"`,
    `The operations are: ${[...byName.keys()].join(', ')}.`,
  )

/** What stands under a name, however its words are joined. */
const findByName = <found>(byName: ReadonlyMap<string, found>, name: string): found | undefined => {
  const exact = byName.get(name)
  if (exact !== undefined) return exact
  const plain = toPlainName(name)
  return [...byName].find(([own]) => toPlainName(own) === plain)?.[1]
}

/** The selector of a data part: its key, and the skill where there is such a one. */
const readSelector = ({ byId }: Skills, data: Fields) => {
  for (const key of selectors) {
    const id = data[key]
    if (typeof id === 'string') return { key, id, skill: findByName(byId, id) }
  }
  return undefined
}

/** The tool of a skill, and the key that names it among several. Throws -32602 with the names of the operations. */
const toTool = (
  skill: AnyTool | Operations,
  selector: string | undefined,
  data: Fields,
): { tool: AnyTool; keys: readonly string[] } => {
  const keys = selector === undefined ? [] : [selector]
  if (!('byName' in skill)) return { tool: skill, keys }
  const key = operationKeys.find(key => key !== selector && typeof data[key] === 'string')
  const name = key && (data[key] as string)
  const tool = name === undefined ? skill.default : findByName(skill.byName, name)
  if (!tool) throw unknownOperation(skill, key ?? 'operation', name)
  return { tool, keys: key === undefined ? keys : [...keys, key] }
}

/** The arguments in a data part: what `args`, `arguments`, `input` or `params` hold, and all other keys. */
export const readToolArguments = (
  { input: { shape } }: AnyTool,
  data: Fields,
  selectorKeys: readonly string[] = [],
): Fields => {
  const isOwnField = (key: string) => Object.hasOwn(shape, key)
  const plain = Object.entries(data).filter(([key]) => !selectorKeys.includes(key))
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

export const mergeData = ({ parts }: Message): Fields | undefined => {
  const records = parts.flatMap(part =>
    'data' in part ? [isRecord(part.data) ? part.data : { value: part.data }] : [],
  )
  if (records.length < 2) return records[0]
  return Object.fromEntries(records.reverse().flatMap(data => Object.entries(data)))
}

export const joinText = ({ parts }: Message): string =>
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
  const knownFields = Object.entries(readToolArguments(fallback, data)).filter(([key]) =>
    Object.hasOwn(shape, key),
  )
  const textField = text !== '' && Object.hasOwn(shape, 'text') ? { text } : {}
  return { tool: fallback, input: { ...textField, ...Object.fromEntries(knownFields) }, chosen: false }
}

const maxProse = 10_000

/** The refusal of words that no operation is meant by, with the nearest ones. */
const startsNothing = (nearest: readonly AnyTool[]): ToolError =>
  invalidParam(
    'message.parts',
    'these words start nothing here; nothing was done',
    `The nearest are: ${nearest.map(tool => `${tool.name} (${tool.title}), as ${exampleText(tool)}`).join('; ')}. "help" lists all.`,
  )

/** True where a template took text for a field that refuses it, such as a sentence for an address. */
const isMisread = ({ tool, input }: TextMatch): boolean =>
  Object.entries(input).some(([field, value]) => !(tool.input.shape[field]?.safeParse(value).success ?? true))

/** What words come to: by a template, else by the one grammar. A template that took too much gives way to the grammar. */
const readRequest = (skills: Skills, text: string): Choice | { nearest: readonly AnyTool[] } => {
  const match = skills.texts.read(text)
  if (match && !isMisread(match))
    return {
      ...match,
      chosen: true,
      ...(missingFields(match.tool, match.input).length > 0 && { prose: true }),
    }
  const reading = readWords(skills.grammar(), text)
  if ('tool' in reading) return { ...reading, chosen: true, prose: true }
  return match ? { ...match, chosen: true } : reading
}

/** The choice with what plain words say; a field that was given as data goes before them. */
const withProse = (choice: Choice, text: string): Choice => {
  const { prose } = choice.tool.a2a ?? {}
  if (!prose || text === '') return choice
  const said = prose.read(text.slice(0, maxProse), choice.input)
  return { ...choice, input: { ...said, ...choice.input }, prose: true }
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
  const skill = findByName(skills.byId, id as string)
  if (!skill) throw unknownSkill(skills, 'metadata.skill', id as string)
  const operation = hints.map(hint => hint.operation).find(value => typeof value === 'string')
  const { tool, keys } = toTool(skill, undefined, operation === undefined ? data : { ...data, operation })
  const primary = tool.a2a?.text?.[0]?.includes('<') && text !== '' ? { value: text } : {}
  const parsedInput =
    readTextFor(tool, text)?.input ??
    (Object.keys(primary).length > 0 ? withPrimary(tool, primary) : readAnswer(tool, text))
  return {
    tool,
    input: { ...parsedInput, ...withPrimary(tool, readToolArguments(tool, data, keys)) },
    chosen: true,
  }
}

/**
 * The tool a message is for: a data part that names a skill, then metadata, then text that is such a data part, then
 * the text templates, then the grammar of words, then the service's fallback, which words that start nothing
 * do not get. Where no tool has a template, text never chooses one. Throws -32602
 * with the skill ids for a skill that is not there.
 */
export const choose = (skills: Skills, message: Message, hints: readonly Fields[]): Choice => {
  const data = mergeData(message)
  const text = joinText(message)
  const selector = data && readSelector(skills, data)
  if (data && selector?.skill) {
    const { tool, keys } = toTool(selector.skill, selector.key, data)
    const input = withPrimary(tool, readToolArguments(tool, data, keys))
    return withProse({ tool, input, chosen: true }, text)
  }
  if (selector && selector.key !== 'action') throw unknownSkill(skills, selector.key, selector.id)
  const proseTool = skills.prose.find(({ a2a }) => a2a?.prose?.begins.test(text.slice(0, maxProse)))
  if (skills.texts.silent && !data && skills.prose.length === 0) return fallbackFor(skills, text)

  const named = byMetadata(skills, hints, text, data ?? {})
  if (named) return withProse(named, text)
  const json = skills.texts.silent ? undefined : jsonObject(text)
  if (json && readSelector(skills, json))
    return choose(skills, { ...message, parts: [{ data: { ...json, ...data } }] }, hints)
  const read = skills.texts.silent || text === '' ? undefined : readRequest(skills, text)
  if (proseTool && (!read || 'nearest' in read || read.tool === proseTool))
    return withProse(
      { tool: proseTool, input: data ? readToolArguments(proseTool, data) : {}, chosen: true },
      text,
    )
  if (read && 'tool' in read) {
    const args = data ? withPrimary(read.tool, readToolArguments(read.tool, data)) : {}
    return { ...read, input: { ...read.input, ...args } }
  }
  if (selector) throw unknownSkill(skills, selector.key, selector.id)
  const choice = fallbackFor(skills, text, data)
  const listens = Object.hasOwn(skills.fallback.input.shape, 'text')
  return read && !data && !listens ? { ...choice, refusal: startsNothing(read.nearest) } : choice
}
