import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { isRecord, type JsonRecord } from '../../../lib/json.ts'

const maxCharacters = 8_000
const maxDepth = 8

/** Expressions of strangers may take for ever, and references lead anywhere. */
const refusedKeywords = [
  'pattern',
  'patternProperties',
  '$ref',
  '$dynamicRef',
  '$defs',
  'definitions',
  'propertyNames',
]

const refuse = (message: string): ToolError =>
  new ToolError('invalid_input', `response_format: ${message}.`, {
    issues: [{ path: 'response_format', message }],
    hint: 'Send a JSON Schema of an object, such as {"type":"object","properties":{"risk":{"type":"number"}},"required":["risk"]}.',
  })

/** Names of properties are no keywords. */
const check = (schema: unknown, depth: number, isNames = false): void => {
  if (depth > maxDepth * 2) throw refuse(`is nested more than ${maxDepth} levels deep`)
  if (Array.isArray(schema)) for (const inner of schema) check(inner, depth + 1)
  if (!isRecord(schema)) return
  for (const [name, inner] of Object.entries(schema)) {
    if (!isNames && refusedKeywords.includes(name)) throw refuse(`holds ${name}, which is not taken here`)
    check(inner, depth + 1, !isNames && name === 'properties')
  }
}

/** The form that a caller wants an answer in. Throws `invalid_input` for what is no JSON Schema of an object. */
export const readResponseFormat = (schema: JsonRecord): z.ZodType => {
  if (JSON.stringify(schema).length > maxCharacters) throw refuse(`has more than ${maxCharacters} characters`)
  if (schema.type !== 'object' || !isRecord(schema.properties))
    throw refuse('is no JSON Schema of an object with properties')
  check(schema, 0)
  try {
    const format = z.fromJSONSchema(schema)
    z.toJSONSchema(format)
    return format
  } catch {
    throw refuse('is no JSON Schema that can be checked')
  }
}
