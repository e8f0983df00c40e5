import { isRecord } from '../../lib/json.ts'
import { ToolError } from '../error.ts'
import type { AnyTool } from '../tool.ts'

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/**
 * The input with each alias of a field under the field's own name. Throws `invalid_input` where a field comes under several names
 * that do not say the same.
 */
export const withoutAliases = ({ aliases, input: schema }: AnyTool, input: unknown): unknown => {
  if (!aliases || !isRecord(input)) return input
  const fields = { ...input }
  for (const [field, names] of Object.entries(aliases)) {
    for (const name of names) {
      if (!Object.hasOwn(fields, name) || Object.hasOwn(schema.shape, name)) continue
      const { [name]: value } = fields
      delete fields[name]
      if (isAbsent(value)) continue
      if (isAbsent(fields[field])) fields[field] = value
      else if (fields[field] !== value) throw sentTwice(field, name)
    }
  }
  return fields
}

const sentTwice = (field: string, name: string): ToolError => {
  const message = `send it under one name: ${name} says something else`
  return new ToolError('invalid_input', `${field}: ${message}.`, { issues: [{ path: field, message }] })
}
