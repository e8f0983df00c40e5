import { z } from 'zod'
import type { AnyTool } from '../mcp/kernel/tool.ts'

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

const compile = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
  const compiled = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.pattern && saidByFormat.has(jsonSchema.format ?? '')) delete jsonSchema.pattern
    },
  })
  const { $schema: _, '~standard': __, ...rest } = compiled as Schema
  return rest
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
