import { isRecord } from '../lib/json.ts'
import { splitSearchWords } from '../lib/search/words.ts'
import { stem } from '../lib/text/stem.ts'
import type { Entry, ListedTool, ToolFacts } from './listed.ts'
import type { PortableSchema } from './portable.ts'
import { findNameFault } from './vocabulary.ts'

const nameForm = /^[a-z][a-z0-9_-]{0,47}$/
const maxDescriptionLength = 400
const maxKeywords = 6

/**
 * Bytes that a model reads of the tools of one service: some 13,000 tokens, a fifteenth of a window of 200,000. Output
 * schemas do not count; programs read those.
 */
export const listBudget = 52_000

/** Bytes that a model reads of one tool: some 1,000 tokens. */
export const toolBudget = 4000

const fail = (where: string, fault: string): never => {
  throw new Error(`${where}: ${fault}`)
}

const deeper = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

type Flaw =
  | 'fields without a description'
  | 'lists that do not say what is in them'
  | 'objects without fields'

const isBare = ({ properties }: PortableSchema): boolean =>
  !isRecord(properties) || Object.keys(properties).length === 0

const findFlaws = (schema: PortableSchema, path: string): Flaw[] => {
  const { type, items, prefixItems, additionalProperties } = schema
  return [
    ...(type === 'array' && items === undefined && prefixItems === undefined
      ? ['lists that do not say what is in them' as const]
      : []),
    ...(type === 'object' && path !== '' && isBare(schema) && additionalProperties === undefined
      ? ['objects without fields' as const]
      : []),
  ]
}

type Visit = {
  onFlaw: (flaw: Flaw, path: string) => void
  onField: (path: string, schema: PortableSchema) => void
}

/** Reports fields, and flaws that trip a client or a model, and where, as a caller would write the path. */
const walk = (schema: unknown, path: string, visit: Visit): void => {
  const { onFlaw, onField } = visit
  if (!isRecord(schema)) return
  for (const flaw of findFlaws(schema, path)) onFlaw(flaw, path)
  for (const [name, sub] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    const at = path ? `${path}.${name}` : name
    if (isRecord(sub) && !sub.description && sub.const === undefined)
      onFlaw('fields without a description', at)
    if (isRecord(sub)) onField(at, sub)
    walk(sub, at, visit)
  }
  for (const key of deeper) {
    const list = schema[key]
    if (Array.isArray(list)) for (const sub of list) walk(sub, path, visit)
  }
  walk(schema.items, `${path}[]`, visit)
  walk(schema.additionalProperties, `${path}.*`, visit)
}

const checkFields = (where: string, side: 'input' | 'output', schema: PortableSchema) => {
  const flaws = new Map<Flaw, Set<string>>()
  const names = new Set<string>()
  walk(schema, '', {
    onFlaw: (flaw, path) => flaws.set(flaw, (flaws.get(flaw) ?? new Set()).add(path)),
    onField(path, field) {
      const fault = findNameFault(where, side, path, field)
      if (fault) names.add(`${path} ${fault}`)
    },
  })
  for (const [flaw, paths] of flaws) fail(where, `${side} ${flaw}: ${[...paths].join(', ')}`)
  if (names.size > 0) fail(where, `${side} fields outside of the vocabulary: ${[...names].join('; ')}`)
}

/** Bytes of a tool that a model reads. */
export const countToolBytes = ({
  name,
  description,
  inputSchema,
}: Pick<ListedTool, 'name' | 'description' | 'inputSchema'>): number =>
  Buffer.byteLength(JSON.stringify({ name, description, inputSchema }))

const checkRoot = (where: string, { inputSchema }: ListedTool) => {
  const union = ['oneOf', 'anyOf', 'allOf'].find(key => key in inputSchema)
  if (union) fail(where, `the root of the input has ${union}; clients drop such a tool`)
  if (inputSchema.type !== 'object') fail(where, 'the root of the input is not a plain object')
}

const hasReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('$ref' in value || Object.values(value).some(hasReference))

/** A tool is found by its own words already; a keyword that repeats one, or is no plain English, only makes others harder to find. */
const checkKeywords = (where: string, { name, title, description, keywords = [] }: ToolFacts) => {
  if (keywords.length > maxKeywords) fail(where, `${keywords.length} keywords, over ${maxKeywords}`)
  const own = new Set(splitSearchWords(`${name.replaceAll('_', ' ')} ${title} ${description}`).map(stem))
  for (const keyword of keywords) {
    if (!/^[a-z0-9]+(?:[ -][a-z0-9]+)?$/.test(keyword))
      fail(where, `the keyword ${keyword} is not one or two lower-case English words`)
    const repeated = splitSearchWords(keyword).find(word => own.has(stem(word)))
    if (repeated) fail(where, `the keyword ${keyword} repeats ${repeated} of its name, title or description`)
  }
}

/** Refuses at boot what would break a client at the first list or call. Throws an Error that starts with `where`. */
export const checkTool = (where: string, tool: ToolFacts, definition: ListedTool): void => {
  if (!nameForm.test(tool.name)) fail(where, `the name does not match ${nameForm.source}`)
  if (tool.title.trim() === '') fail(where, 'the title is empty')
  const { length } = tool.description
  if (tool.description.trim() === '') fail(where, 'the description is empty')
  if (length > maxDescriptionLength)
    fail(where, `the description has ${length} characters, over ${maxDescriptionLength}`)
  checkKeywords(where, tool)
  checkRoot(where, definition)
  if (hasReference(definition.outputSchema))
    fail(where, 'the output contains itself, and frameworks lose such a tool; use z.unknown() inside')
  checkFields(where, 'input', definition.inputSchema)
  checkFields(where, 'output', definition.outputSchema)
  const bytes = countToolBytes(definition)
  if (bytes > toolBudget) fail(where, `a model reads ${bytes} bytes of this tool, over ${toolBudget}`)
  tool.examples.forEach((example: unknown, at: number) => {
    // Without the code that zod writes for schemas that are read often: this one is read once.
    const parsed = tool.input.safeParse(example, { jitless: true })
    if (parsed.success) return
    const issue = parsed.error.issues[0]
    fail(where, `example ${at + 1} does not parse: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
  })
}

/** The entries that a list has: all, but where a contract fixes the list. `unlisted` tools answer by name only. */
export const listedIn = <E extends Pick<Entry, 'listed' | 'tool'>>(entries: readonly E[]): E[] =>
  entries.filter(({ tool }) => tool.mcp !== 'unlisted')

/** Refuses a list with a name twice, or one that would cost a model more than it is worth. */
export const checkList = (slug: string, entries: readonly Pick<Entry, 'listed' | 'tool'>[]): void => {
  const names = new Set<string>()
  for (const { listed: definition } of entries) {
    if (names.has(definition.name)) fail(`${slug}.${definition.name}`, 'the name is used twice')
    names.add(definition.name)
  }
  const sizes = listedIn(entries).map(({ listed: definition }) => ({
    name: definition.name,
    bytes: countToolBytes(definition),
  }))
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
  if (bytes <= listBudget) return
  const [largest] = sizes.toSorted((a, b) => b.bytes - a.bytes)
  fail(
    slug,
    `a model reads ${bytes} bytes of the tool list, over its budget of ${listBudget}; the longest tool is ${largest?.name} with ${largest?.bytes}`,
  )
}
