import { z } from 'zod'
import { isRecord, type JsonRecord } from '../../lib/json.ts'

/** Keywords that strict modes of APIs refuse. The model is told of them in words, and they are checked afterwards. */
const bounds = [
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
] as const

const droppedKeywords: ReadonlySet<string> = new Set([
  ...bounds,
  '$schema',
  'default',
  'format',
  'description',
])

/** Bounds that every number or integer has are no news. */
const isTold = (value: unknown) => typeof value !== 'number' || Math.abs(value) < Number.MAX_SAFE_INTEGER

const describe = (schema: JsonRecord): string | undefined => {
  const notes = bounds.filter(name => name in schema && isTold(schema[name]))
  const words = [
    ...(typeof schema.description === 'string' ? [schema.description] : []),
    ...(notes.length > 0 ? [`(${notes.map(name => `${name} ${schema[name]}`).join(', ')})`] : []),
  ]
  return words.length > 0 ? words.join(' ') : undefined
}

const mapSchemas = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(mapSchemas)
  return isRecord(value) ? toPlain(value) : value
}

const toPlain = (schema: JsonRecord): JsonRecord => {
  const plain: JsonRecord = {}
  for (const [name, value] of Object.entries(schema)) {
    if (droppedKeywords.has(name)) continue
    plain[name] =
      name === 'properties' && isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, mapSchemas(inner)]))
        : name === 'enum' || name === 'const' || name === 'required'
          ? value
          : mapSchemas(value)
  }
  const description = describe(schema)
  if (description !== undefined) plain.description = description
  if (isRecord(plain.properties)) plain.additionalProperties = false
  return plain
}

/** True when every object of a schema requires all of its properties and allows no others. */
const requiresAll = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(requiresAll)
  if (!isRecord(schema)) return true
  const { properties, required, type } = schema
  if (type === 'object' && !isRecord(properties)) return false
  if (isRecord(properties)) {
    const names = Array.isArray(required) ? required : []
    if (!Object.keys(properties).every(name => names.includes(name))) return false
    return Object.values(properties).every(requiresAll)
  }
  return Object.values(schema).every(requiresAll)
}

/** A schema of ours as APIs of models take it: what the model writes, before defaults. */
export const toWireSchema = (schema: z.ZodType): { jsonSchema: JsonRecord; isStrict: boolean } => {
  const jsonSchema = toPlain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonRecord)
  return { jsonSchema, isStrict: requiresAll(jsonSchema) }
}
