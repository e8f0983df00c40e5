import { z } from 'zod'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { toPortablePattern } from '../mcp/lib/portable-pattern.ts'

/** A JSON Schema (2020-12) object. */
export type Schema = {
  type?: string | readonly string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  description?: string
  [keyword: string]: unknown
}

const saidByFormat = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
])

/** The fields of a record whose names are given, as fields: `required` alone says that there are such fields, not what they are. */
const spellRecord = (schema: z.core.JSONSchema.BaseSchema) => {
  const { propertyNames, additionalProperties } = schema
  const names = typeof propertyNames === 'object' ? propertyNames.enum : undefined
  if (!names || typeof additionalProperties !== 'object') return
  schema.properties = Object.fromEntries(names.map(name => [String(name), additionalProperties]))
  schema.additionalProperties = false
  delete schema.propertyNames
}

/** The schema without references. One that contains itself is that of any JSON, and types of it do not compile. */
const withoutReferences = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutReferences)
  if (!isRecord(schema)) return schema
  const { $ref, $defs: _, ...rest } = schema
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withoutReferences(inner)]))
}

const compile = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
  const compiled = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      spellRecord(jsonSchema)
      const { pattern, format = '' } = jsonSchema
      if (pattern === undefined) return
      const portable = saidByFormat.has(format) ? undefined : toPortablePattern(pattern)
      if (portable === undefined) delete jsonSchema.pattern
      else jsonSchema.pattern = portable
    },
  })
  const { $schema: _, '~standard': __, ...rest } = compiled as Schema
  return withoutReferences(rest) as Schema
}

type ToolSchemas = { input: Schema; output: Schema }

const schemaCache = new WeakMap<AnyTool, ToolSchemas>()

/** The JSON Schemas of a tool's input, as callers send it, and output, without patterns that their `format` implies. */
export const compileSchemas = (tool: AnyTool): ToolSchemas => {
  const before = schemaCache.get(tool)
  if (before) return before
  const both = { input: compile(tool.input, 'input'), output: compile(tool.output, 'output') }
  schemaCache.set(tool, both)
  return both
}
