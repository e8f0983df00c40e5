import { isRecord } from '../../lib/json.ts'
import { toSnakeCase } from '../../lib/snake-case.ts'
import { ToolError } from '../error.ts'
import type { AnyTool } from '../tool.ts'

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** The field of a shape that a name is another case of, such as `max_tokens` for `maxTokens`. */
export const findSpelling = (shape: object, name: string): string | undefined => {
  if (Object.hasOwn(shape, name)) return name
  const own = toSnakeCase(name)
  return Object.keys(shape).find(field => toSnakeCase(field) === own)
}

/** A path of a refusal in the cases that its fields were sent in. */
export const asSent = (value: unknown, path: readonly string[]): readonly string[] => {
  const [name, ...rest] = path
  if (name === undefined || typeof value !== 'object' || value === null) return path
  const key = Object.hasOwn(value, name)
    ? name
    : (Object.keys(value).find(one => toSnakeCase(one) === toSnakeCase(name)) ?? name)
  return [key, ...asSent(Reflect.get(value, key), rest)]
}

/**
 * The field that a name stands for: itself, the one that lists it as an alias, or its own in another case, such as `maxTokens` for
 * `max_tokens`. Undefined for a name that is none of them.
 */
export const findField = (
  { aliases = {}, input }: Pick<AnyTool, 'aliases' | 'input'>,
  name: string,
): string | undefined => {
  const names = [name, toSnakeCase(name)]
  return (
    findSpelling(input.shape, name) ??
    Object.keys(aliases).find(field => names.some(one => aliases[field]?.includes(one)))
  )
}

/**
 * The input with each field under its own name, whatever alias or case it came in. Throws `invalid_input` where a field comes under
 * several names that do not say the same.
 */
export const withoutAliases = (tool: AnyTool, input: unknown): unknown => {
  if (!isRecord(input)) return input
  const fields = { ...input }
  for (const name of Object.keys(input)) {
    const field = findField(tool, name)
    if (field === undefined || field === name) continue
    const { [name]: value } = fields
    delete fields[name]
    if (isAbsent(value)) continue
    if (isAbsent(fields[field])) fields[field] = value
    else if (fields[field] !== value) throw sentTwice(field, name)
  }
  return fields
}

/** Says of a field that came under two names which of them is the other. */
export const underOneName = (name: string): string => `send it under one name: ${name} says something else`

const sentTwice = (field: string, name: string): ToolError => {
  const message = underOneName(name)
  return new ToolError('invalid_input', `${field}: ${message}.`, { issues: [{ path: field, message }] })
}
