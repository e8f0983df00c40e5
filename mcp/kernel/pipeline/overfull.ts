import type { z } from 'zod'
import type { Issue } from '../error.ts'
import { type Definition, definition } from './definition.ts'

/** Places of a schema's lists and maps, and how many entries they may have. */
type Bounds = { max?: number; entries?: Bounds; fields?: readonly [name: string, Bounds][] }

/** Entries of a list or map whose schema names no limit. */
const maxEntries = 1000

const boundsCache = new WeakMap<z.core.$ZodType, { bounds: Bounds | undefined }>()

const entryLimit = ({ checks = [] }: Definition): number => {
  const limits = checks.flatMap(({ _zod: { def } }) => def.maximum ?? def.length ?? [])
  return limits.length > 0 ? Math.min(...limits) : maxEntries
}

const boundsIn = (schema: z.core.$ZodType): Bounds | undefined => {
  const cached = boundsCache.get(schema)
  if (cached) return cached.bounds
  const entry: { bounds: Bounds | undefined } = { bounds: undefined }
  // A schema that holds itself is bounded by the outer one.
  boundsCache.set(schema, entry)
  entry.bounds = build(definition(schema))
  return entry.bounds
}

const build = (def: Definition): Bounds | undefined => {
  const inner = def.innerType ?? def.in
  if (inner) return boundsIn(inner)
  const entry = def.element ?? def.valueType
  if (entry) {
    const entries = boundsIn(entry)
    return { max: entryLimit(def), ...(entries && { entries }) }
  }
  const fields = Object.entries(def.shape ?? {}).flatMap(([name, field]): [string, Bounds][] => {
    const bounds = boundsIn(field)
    return bounds ? [[name, bounds]] : []
  })
  return fields.length > 0 ? { fields } : undefined
}

const countEntries = (value: object): number =>
  Array.isArray(value) ? value.length : Object.keys(value).length

const find = ({ max, entries, fields }: Bounds, value: unknown, path: string): Issue | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (max !== undefined && countEntries(value) > max)
    return { path, message: `must have at most ${max} entries, not ${countEntries(value)}` }
  const at = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`)
  if (entries)
    for (const [index, one] of Object.values(value).entries()) {
      const excess = find(entries, one, at(index))
      if (excess) return excess
    }
  for (const [name, bounds] of fields ?? []) {
    const excess = find(bounds, (value as Record<string, unknown>)[name], at(name))
    if (excess) return excess
  }
  return undefined
}

/** The first list or map in a value that has more entries than its schema takes; its entries are not looked at. */
export const overfull = (schema: z.ZodObject, value: unknown): Issue | undefined => {
  const bounds = boundsIn(schema)
  return bounds && find(bounds, value, '')
}
