import type { Schema } from './schema.ts'

export type RawParameters = Readonly<Record<string, string | string[] | undefined>>
type ReadValue = (value: string | string[]) => unknown

/** The types a schema accepts, through its alternatives. */
export const collectTypes = (schema: Schema): Set<string> => {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : [])
  const direct = schema.type === undefined ? values.map(value => typeof value) : [schema.type].flat()
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(other => [...collectTypes(other)])
  return new Set([...direct, ...inner])
}

const itemSchema = (schema: Schema): Schema => {
  if (schema.items) return schema.items
  for (const other of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    const items = itemSchema(other)
    if (Object.keys(items).length > 0) return items
  }
  return {}
}

const decimal = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i
const booleans = new Map<string, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const parseObject = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const readOne = (types: Set<string>, text: string): unknown => {
  if (types.has('string') || types.size === 0) return text
  if ((types.has('number') || types.has('integer')) && decimal.test(text)) return Number(text)
  if (types.has('boolean')) return booleans.get(text.toLowerCase()) ?? text
  if (types.has('object')) return parseObject(text)
  return types.has('null') && text === 'null' ? null : text
}

const buildReader = (schema: Schema): ReadValue => {
  const types = collectTypes(schema)
  if (!types.has('array')) return value => (Array.isArray(value) ? value : readOne(types, value))
  const item = buildReader(itemSchema(schema))
  const many = (values: string[]) => values.map(item)
  if (types.has('string')) return value => (Array.isArray(value) ? many(value) : value)
  return value => many(Array.isArray(value) ? value : value.split(',').filter(part => part !== ''))
}

/**
 * Query strings and path segments are text; the schema says what they mean: numbers, true/false/1/0, lists as `a,b` or
 * repeated, objects as JSON. `findField` knows what else a field is called. What cannot be read passes through as it is, so that validation names the field.
 */
export const coercion = (
  schema: Schema,
  findField = (name: string): string | undefined => name,
): ((raw: RawParameters) => Record<string, unknown>) => {
  const readers = new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, buildReader(field)]),
  )
  return raw => {
    const input: [string, unknown][] = []
    for (const [name, value] of Object.entries(raw)) {
      if (value === undefined) continue
      const readValue = readers.get(findField(name) ?? name)
      input.push([name, readValue ? readValue(value) : value])
    }
    return Object.fromEntries(input)
  }
}
