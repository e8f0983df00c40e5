import { z } from 'zod'
import { isRecord } from '../lib/json.ts'
import { toPortablePattern } from '../lib/portable-pattern.ts'
import { type PortableSchema, toPortable } from './portable.ts'

type Draft = Record<string, unknown>
type Side = 'input' | 'output'

const sameEverywhere = /^(?:date-time|date|uuid|ipv[46])$/
const maps = ['properties', 'patternProperties']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const singles = ['items', 'additionalProperties', 'propertyNames', 'contains', 'not']
/** Any JSON value, without a reference to itself: some frameworks lose a tool that has one. */
const AnyJson: PortableSchema = {
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    ...['string', 'number', 'boolean', 'null'].map(type => ({ type })),
  ],
}
const describing = ['description', 'title', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0

/** A validator of a client may read `uri` or `email` more narrowly than zod does and refuse a good answer. */
const leanText = (schema: Draft): Draft => {
  const { format, pattern, ...rest } = schema
  const keepsFormat = typeof format === 'string' && sameEverywhere.test(format)
  const portable =
    typeof pattern === 'string' && format === undefined ? toPortablePattern(pattern) : undefined
  return { ...rest, ...(keepsFormat && { format }), ...(portable !== undefined && { pattern: portable }) }
}

const leanNumber = (schema: Draft): Draft => {
  const { minimum, maximum, ...rest } = schema
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  }
}

const leanContainer = (schema: Draft): Draft => {
  const { propertyNames, additionalProperties, items, ...rest } = schema
  const anyKey =
    isRecord(propertyNames) && propertyNames.type === 'string' && Object.keys(propertyNames).length === 1
  const open = isEmpty(additionalProperties) || additionalProperties === false
  const isBare = rest.properties === undefined || isEmpty(rest.properties)
  return {
    ...rest,
    ...(propertyNames !== undefined && !anyKey && { propertyNames }),
    ...(additionalProperties !== undefined && !open && { additionalProperties }),
    ...(open && isBare && { additionalProperties: true }),
    ...(items !== undefined && items !== false && { items }),
  }
}

const splitTypes = (schema: Draft): Draft => {
  if (!Array.isArray(schema.type)) return schema
  const { type, ...rest } = schema
  const about = Object.fromEntries(Object.entries(rest).filter(([key]) => describing.includes(key)))
  const claims = Object.fromEntries(Object.entries(rest).filter(([key]) => !describing.includes(key)))
  return {
    ...about,
    anyOf: schema.type.map(one => (one === 'null' ? { type: one } : { type: one, ...claims })),
  }
}

const sayAnything = (schema: Draft): Draft =>
  Object.keys(schema).some(key => !describing.includes(key)) ? schema : { ...schema, ...AnyJson }

const inside = (schema: Draft): Draft => {
  const visit = (value: unknown) => (isRecord(value) ? leanNode(value) : value)
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (maps.includes(key) && isRecord(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, sub]) => [name, visit(sub)]))]
      if (lists.includes(key) && Array.isArray(value)) return [key, value.map(visit)]
      return [key, singles.includes(key) ? visit(value) : value]
    }),
  )
}

const leanNode = (schema: Draft): Draft =>
  sayAnything(splitTypes(inside(leanContainer(leanNumber(leanText(schema))))))

/**
 * The JSON Schema (2020-12, MCP's default dialect) of one side of a tool, small and without `$schema`: an input as every model host
 * takes it, an output as validators do, one `type` per node. Throws what cannot be converted.
 */
export const toSchema = (type: z.ZodObject, side: Side): PortableSchema => {
  const { $schema, ...schema } = z.toJSONSchema(type, { io: side, target: 'draft-2020-12' })
  if (side === 'input') return toPortable(schema)
  return leanNode(schema)
}

const PaymentRequired: PortableSchema = {
  type: 'object',
  description: 'x402 v2 PaymentRequired: the answer to a call that is not paid yet',
  properties: {
    x402Version: { type: 'integer', description: 'Version of x402' },
    error: { type: 'string', description: 'Why it is not paid' },
    accepts: {
      type: 'array',
      description: 'Ways to pay; one is enough',
      items: { type: 'object', additionalProperties: true },
    },
  },
  required: ['x402Version', 'accepts'],
}

/** A paid tool answers with its output or with x402's PaymentRequired, and v1 clients check either against the schema. */
export const payable = (output: PortableSchema): PortableSchema => ({
  type: 'object',
  anyOf: [output, PaymentRequired],
})
