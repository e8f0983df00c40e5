import { isRecord } from '../lib/json.ts'
import type { Declared, Entry, ListedTool } from './compile.ts'

const nameForm = /^[a-z][a-z0-9_-]{0,47}$/
const mostDescription = 400

/** Bytes of JSON that the tool list of one service may have; a model reads some four bytes per token. */
export const listBudget = 60_000

const fail = (where: string, fault: string): never => {
  throw new Error(`${where}: ${fault}`)
}

const deeper = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** Paths of properties without a description, as a caller would write them. */
const undescribed = (schema: unknown, path: string): string[] => {
  if (!isRecord(schema)) return []
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
  return [
    ...properties.flatMap(([name, sub]) => {
      const at = path ? `${path}.${name}` : name
      const bare = isRecord(sub) && !sub.description && sub.const === undefined
      return [...(bare ? [at] : []), ...undescribed(sub, at)]
    }),
    ...deeper.flatMap(key => {
      const list = schema[key]
      return Array.isArray(list) ? list.flatMap(sub => undescribed(sub, path)) : []
    }),
    ...undescribed(schema.items, `${path}[]`),
    ...undescribed(schema.additionalProperties, `${path}.*`),
  ]
}

const checkRoot = (where: string, { inputSchema }: ListedTool) => {
  const union = ['oneOf', 'anyOf', 'allOf'].find(key => key in inputSchema)
  if (union) fail(where, `the root of the input has ${union}; clients drop such a tool`)
  if (inputSchema.type !== 'object') fail(where, 'the root of the input is not a plain object')
}

const refersToRoot = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (('$ref' in value && value.$ref === '#') || Object.values(value).some(refersToRoot))

/** Refuses at boot what would break a client at the first list or call. Throws an Error that starts with `where`. */
export const checkTool = (where: string, tool: Declared, listed: ListedTool): void => {
  if (!nameForm.test(tool.name)) fail(where, `the name does not match ${nameForm.source}`)
  if (tool.title.trim() === '') fail(where, 'the title is empty')
  const { length } = tool.description
  if (tool.description.trim() === '') fail(where, 'the description is empty')
  if (length > mostDescription)
    fail(where, `the description has ${length} characters, over ${mostDescription}`)
  checkRoot(where, listed)
  const bare = undescribed(listed.inputSchema, '')
  if (bare.length > 0) fail(where, `input fields without a description: ${bare.join(', ')}`)
  if ('anyOf' in listed.outputSchema && refersToRoot(listed.outputSchema))
    fail(where, 'the output of a paid tool refers to its own root; name the inner schema instead')
  tool.examples.forEach((example: unknown, at: number) => {
    const parsed = tool.input.safeParse(example)
    if (parsed.success) return
    const issue = parsed.error.issues[0]
    fail(where, `example ${at + 1} does not parse: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
  })
}

/** Bytes of the list of a service, without the tools that it does not list. */
export const listBytes = (entries: readonly Pick<Entry, 'listed' | 'tool'>[]): number => {
  const shown = entries.filter(({ tool }) => tool.mcp !== 'unlisted')
  return Buffer.byteLength(JSON.stringify(shown.map(({ listed }) => listed)))
}

/** Refuses a list with a name twice, or one that would cost a model more than it is worth. */
export const checkList = (slug: string, entries: readonly Pick<Entry, 'listed' | 'tool'>[]): void => {
  const seen = new Set<string>()
  for (const { listed } of entries) {
    if (seen.has(listed.name)) fail(`${slug}.${listed.name}`, 'the name is used twice')
    seen.add(listed.name)
  }
  const bytes = listBytes(entries)
  if (bytes > listBudget) fail(slug, `the tool list has ${bytes} bytes, over its budget of ${listBudget}`)
}
