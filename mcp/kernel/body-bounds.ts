import type { z } from 'zod'
import type { JsonBounds } from '../lib/json-bounds.ts'
import { bodyBounds } from './http.ts'

type Size = Pick<JsonBounds, 'bytes' | 'values'>

const unboundedSize: Size = { bytes: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }

/** Room for spaces, for fields that a schema leaves out, and for names that a caller gets wrong and is to be told of. */
const slack: Size = { bytes: 16 << 10, values: 1000 }

/** Bytes that a UTF-16 unit takes in JSON at most: `\u0000`. */
const unitBytes = 6

/** Bytes of a number, a boolean or null, and of a field's quotes, colon and comma. */
const scalarBytes = 32
const markBytes = 6

const maxKeyLength = 256

type Definition = {
  type: string
  format?: string
  innerType?: z.core.$ZodType
  in?: z.core.$ZodType
  element?: z.core.$ZodType
  valueType?: z.core.$ZodType
  shape?: Readonly<Record<string, z.core.$ZodType>>
  options?: readonly z.core.$ZodType[]
  items?: readonly z.core.$ZodType[]
  rest?: z.core.$ZodType | null
  entries?: Readonly<Record<string, string | number>>
  values?: readonly unknown[]
  checks?: readonly { _zod: { def: { check: string; maximum?: number; length?: number } } }[]
}

const formatLengths: Readonly<Record<string, number>> = {
  uuid: 36,
  guid: 36,
  ipv4: 15,
  ipv6: 45,
  date: 10,
  time: 32,
  datetime: 64,
}

/** The bound that checks of a schema set to a length or a size; undefined without one. */
const boundOf = ({ checks = [] }: Definition): number | undefined => {
  const bounds = checks.flatMap(({ _zod: { def } }) =>
    /length|size/.test(def.check) ? (def.maximum ?? def.length ?? []) : [],
  )
  return bounds.length > 0 ? Math.min(...bounds) : undefined
}

const add = (sizes: readonly Size[]): Size => ({
  bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  values: sizes.reduce((sum, { values }) => sum + values, 0),
})

const widest = (sizes: readonly Size[]): Size => ({
  bytes: Math.max(0, ...sizes.map(({ bytes }) => bytes)),
  values: Math.max(1, ...sizes.map(({ values }) => values)),
})

const times = (count: number, { bytes, values }: Size, more: number): Size => ({
  bytes: 2 + count * (bytes + more),
  values: 1 + count * values,
})

const literalSize = (values: readonly unknown[]): Size =>
  widest(values.map(value => ({ bytes: markBytes + unitBytes * String(value).length, values: 1 })))

const sizeOf = (schema: z.core.$ZodType): Size => {
  const def = schema._zod.def as Definition
  const bound = boundOf(def)
  switch (def.type) {
    case 'string': {
      const length = bound ?? formatLengths[def.format ?? '']
      return length === undefined ? unboundedSize : { bytes: 2 + unitBytes * length, values: 1 }
    }
    case 'number':
    case 'boolean':
    case 'null':
      return { bytes: scalarBytes, values: 1 }
    case 'enum':
      return literalSize(Object.values(def.entries ?? {}))
    case 'literal':
      return literalSize(def.values ?? [])
    case 'array':
      return bound !== undefined && def.element ? times(bound, sizeOf(def.element), 2) : unboundedSize
    case 'record':
      return bound !== undefined && def.valueType
        ? times(bound, sizeOf(def.valueType), unitBytes * maxKeyLength)
        : unboundedSize
    case 'tuple':
      return def.rest ? unboundedSize : add((def.items ?? []).map(sizeOf))
    case 'object':
      return add(
        Object.entries(def.shape ?? {}).map(([name, field]) => {
          const { bytes, values } = sizeOf(field)
          return { bytes: bytes + name.length + markBytes, values: values + 1 }
        }),
      )
    case 'union':
      return widest((def.options ?? []).map(sizeOf))
    default: {
      const inner = def.innerType ?? def.in
      return inner ? sizeOf(inner) : unboundedSize
    }
  }
}

const cache = new WeakMap<z.ZodObject, JsonBounds>()

/**
 * What a body may hold for a schema: the longest JSON of its bounded strings, lists and maps, and some room beside. A schema with a
 * part that has no bound of its own gets the bounds of every body.
 */
export const boundsOfBody = (schema: z.ZodObject): JsonBounds => {
  const known = cache.get(schema)
  if (known) return known
  const size = add([sizeOf(schema), slack])
  const bounds = {
    bytes: Math.min(bodyBounds.bytes, size.bytes),
    values: Math.min(bodyBounds.values, size.values),
    depth: bodyBounds.depth,
  }
  cache.set(schema, bounds)
  return bounds
}
