import { isRecord } from '../lib/json.ts'
import type { PortableSchema } from './portable.ts'

type Draft = Record<string, unknown>

const annotations = ['description', 'title', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
/** Keywords that an outline keeps: what a program that reads an answer builds types of. */
const outlined = ['type', 'properties', 'required', 'enum', 'const', 'items', 'additionalProperties', 'anyOf']

const isAnyOf = (schema: Draft): boolean => Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)

const withoutAnnotations = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations)
  if (!isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !annotations.includes(keyword))
      .map(([keyword, value]) => {
        if (keyword === 'enum' || keyword === 'const') return [keyword, value]
        if (keyword !== 'properties' || !isRecord(value)) return [keyword, withoutAnnotations(value)]
        return [keyword, mapValues(value, withoutAnnotations)]
      }),
  )
}

const mapValues = (fields: Draft, change: (value: unknown) => unknown): Draft =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))

/** Weaker branches may fit together, so that a choice of exactly one becomes a choice of any. */
const toOutline = (schema: unknown, depth: number): unknown => {
  if (!isRecord(schema)) return schema
  if (depth === 0 && schema.type === 'object') return { type: 'object', additionalProperties: true }
  const { oneOf, ...rest } = schema
  const all: Draft = { ...rest, ...(isAnyOf(schema) && { anyOf: rest.anyOf ?? oneOf }) }
  const kept = Object.fromEntries(Object.entries(all).filter(([keyword]) => outlined.includes(keyword)))
  const visit = (value: unknown) => toOutline(value, depth)
  const inside = (value: unknown) => toOutline(value, depth - 1)
  return {
    ...kept,
    ...(isRecord(kept.properties) && { properties: mapValues(kept.properties, inside) }),
    ...(isRecord(kept.additionalProperties) && { additionalProperties: inside(kept.additionalProperties) }),
    ...(isRecord(kept.items) && { items: visit(kept.items) }),
    ...(Array.isArray(kept.anyOf) && { anyOf: kept.anyOf.map(visit) }),
  }
}

/** Levels of fields that outlines have, the richest first. */
const depths = [2, 1, 0]

/** The form that says only that the answer is an object. */
export const shortestForm = depths.length + 1

/**
 * An output schema in a shorter form: 1 is without words about fields, each higher one an outline with a level of fields less. It says
 * less and nothing else: an answer that fits the whole schema fits each form.
 */
export const abridge = (schema: PortableSchema, form: number): PortableSchema => {
  const depth = depths[form - 2]
  const shorter = depth === undefined ? withoutAnnotations(schema) : toOutline(schema, depth)
  return shorter as PortableSchema
}
