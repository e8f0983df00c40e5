import type { z } from 'zod'
import { parseJson } from '../../lib/json.ts'
import { findExcess } from '../../lib/json-bounds.ts'
import { bodyBounds } from '../http.ts'
import { findSpelling } from './aliases.ts'
import { definition, unwrap } from './definition.ts'

const structuredTypes = new Set(['object', 'record', 'array', 'tuple'])

const parseText = (schema: z.core.$ZodType, text: string): unknown => {
  const { type, options } = definition(unwrap(schema))
  const types = options ? options.map(option => definition(unwrap(option)).type) : [type]
  if (!types.every(each => structuredTypes.has(each))) return text
  if (findExcess(Buffer.from(text), bodyBounds)) return text
  return parseJson(text) ?? text
}

const parseField = (schema: z.core.$ZodType, value: unknown): unknown => {
  if (typeof value !== 'string') return withJsonRead(schema, value)
  return /^\s*[[{]/.test(value) ? parseText(schema, value) : value
}

/**
 * The same value with its fields in the case of the schema, at every depth, and with JSON texts read where a field takes an object or a
 * list and no text: model hosts have no type for an object whose fields are open, and models write lists as text. What is no JSON
 * stays, to be refused by name. The value itself is not changed.
 */
export const withJsonRead = (schema: z.core.$ZodType, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const { shape, element } = definition(unwrap(schema))
  if (Array.isArray(value)) {
    if (!element) return value
    const list = value.map(entry => parseField(element, entry))
    return list.some((entry, at) => entry !== value[at]) ? list : value
  }
  if (!shape) return value
  let copy: Record<string, unknown> | undefined
  for (const [name, inner] of Object.entries(value)) {
    const own = findSpelling(shape, name)
    const field = own === undefined ? undefined : shape[own]
    if (own === undefined || !field || (own !== name && Object.hasOwn(value, own))) continue
    const next = parseField(field, inner)
    if (next === inner && own === name) continue
    copy ??= { ...value }
    delete copy[name]
    copy[own] = next
  }
  return copy ?? value
}
