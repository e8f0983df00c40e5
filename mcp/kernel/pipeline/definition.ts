import type { z } from 'zod'

/** Zod's definition of a schema, as far as it is read here. */
export type Definition = {
  type: string
  shape?: Readonly<Record<string, z.core.$ZodType>>
  element?: z.core.$ZodType
  valueType?: z.core.$ZodType
  /** What an object takes beside its fields; undefined where zod drops it. */
  catchall?: z.core.$ZodType
  innerType?: z.core.$ZodType
  in?: z.core.$ZodType
  out?: z.core.$ZodType
  options?: readonly z.core.$ZodType[]
  checks?: readonly { _zod: { def: { check: string; maximum?: number; length?: number } } }[]
}

export const definition = (schema: z.core.$ZodType): Definition => schema._zod.def as Definition

/** Unwraps an optional, nullable or defaulted schema, and what comes before a transform. */
export const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { innerType, in: before, out: after } = definition(schema)
  if (innerType) return unwrap(innerType)
  if (before && definition(before).type !== 'transform') return unwrap(before)
  return after ? unwrap(after) : schema
}
