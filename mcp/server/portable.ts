import { isRecord } from '../lib/json.ts'
import { toPortablePattern } from '../lib/portable-pattern.ts'

export type PortableSchema = { readonly [keyword: string]: unknown }

type Draft = Record<string, unknown>
type Node = { schema: Draft; root: Draft; path: string; refs: readonly string[] }

/** Formats that OpenAI's strict mode takes; the others take what it takes. */
const formats = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
])

const descriptive = ['title', 'description', 'deprecated'] as const
const refuse = (path: string, fault: string, cure: string): never => {
  throw new Error(`${path || 'the root'} is ${fault}; ${cure}`)
}

const describe = (schema: Draft): Draft =>
  Object.fromEntries(descriptive.flatMap(key => (schema[key] === undefined ? [] : [[key, schema[key]]])))

const toText = ({ format, pattern, ...rest }: Draft): Draft => {
  const known = typeof format === 'string' && formats.has(format)
  const portable = typeof pattern === 'string' && !known ? toPortablePattern(pattern) : undefined
  return { ...rest, ...(known && { format }), ...(portable !== undefined && { pattern: portable }) }
}

const isSafe = (bound: unknown): bound is number =>
  typeof bound === 'number' && Math.abs(bound) !== Number.MAX_SAFE_INTEGER

const toNumber = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest }: Draft): Draft => {
  const step = rest.type === 'integer' ? 1 : 0
  const low = isSafe(exclusiveMinimum) ? exclusiveMinimum + step : minimum
  const high = isSafe(exclusiveMaximum) ? exclusiveMaximum - step : maximum
  return { ...rest, ...(isSafe(low) && { minimum: low }), ...(isSafe(high) && { maximum: high }) }
}

const ofConstant = (value: unknown): Draft => {
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (typeof value === 'number')
    return { type: Number.isInteger(value) ? 'integer' : 'number', minimum: value, maximum: value }
  return { type: 'string', enum: [String(value)] }
}

/** A value for which no host has a type: JSON as text. The kernel reads it where the tool takes no text. */
const asJson = (schema: Draft): Draft => {
  const { description } = schema
  const what = schema.type === 'object' ? 'as JSON text' : 'text or JSON'
  return {
    ...describe(schema),
    type: 'string',
    description: typeof description === 'string' ? `${description} (${what})` : what,
  }
}

const follow = ({ schema, root, path, refs }: Node, ref: string): Draft => {
  if (refs.includes(ref))
    refuse(path, 'a schema that contains itself', 'take it as text, or as a record of any JSON')
  const target = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), root)
  const { $ref: _, ...own } = schema
  return toPortableNode({
    schema: { ...(isRecord(target) ? target : {}), ...own },
    root,
    path,
    refs: [...refs, ref],
  })
}

const lengthsOf = (texts: readonly Draft[]): Draft => {
  const least = Math.min(...texts.map(({ minLength }) => Number(minLength ?? 0)))
  const most = Math.max(...texts.map(({ maxLength }) => Number(maxLength ?? Number.POSITIVE_INFINITY)))
  return { ...(least > 0 && { minLength: least }), ...(Number.isFinite(most) && { maxLength: most }) }
}

const boundsOf = (numbers: readonly Draft[]): Draft => {
  const least = Math.min(...numbers.map(({ minimum }) => Number(minimum ?? Number.NEGATIVE_INFINITY)))
  const most = Math.max(...numbers.map(({ maximum }) => Number(maximum ?? Number.POSITIVE_INFINITY)))
  return {
    ...(Number.isFinite(least) && { minimum: least }),
    ...(Number.isFinite(most) && { maximum: most }),
  }
}

const branchesOf = (schema: Draft): Draft[] =>
  [schema.anyOf, schema.oneOf]
    .flatMap(list => (Array.isArray(list) ? list.filter(isRecord) : []))
    .flatMap(branch => ((branch.anyOf ?? branch.oneOf) ? branchesOf(branch) : [branch]))

/**
 * The one type that stands for a union: the only one that is left without null, all the words of enumerations, the range of numbers;
 * text where one of them is text. The other types are still taken.
 */
const toOneType = (node: Node): Draft => {
  const { schema, path } = node
  const all = branchesOf(schema)
  const branches = all.filter(({ type }) => type !== 'null')
  const own = describe(schema)
  const convert = (branch: Draft) => toPortableNode({ ...node, schema: branch })
  const [only, ...others] = branches
  if (!only) return refuse(path, 'always null', 'leave the field out')
  if (others.length === 0) return { ...convert(only), ...own }
  const words = branches.map(({ const: word, enum: list }) =>
    Array.isArray(list) ? list : word === undefined ? [] : [word],
  )
  if (words.every(list => list.length > 0 && list.every(word => typeof word === 'string')))
    return { ...own, type: 'string', enum: [...new Set(words.flat())] }
  // Before references are followed: one that takes any JSON takes text, and contains itself.
  const texts = branches.filter(({ type }) => type === 'string')
  if (texts.length > 0) return { ...describe(only), ...own, type: 'string', ...lengthsOf(texts) }
  const converted = branches.map(convert)
  if (converted.every(({ type }) => type === 'boolean')) return { ...own, type: 'boolean' }
  if (converted.every(({ type }) => type === 'integer' || type === 'number')) {
    const type = converted.every(branch => branch.type === 'integer') ? 'integer' : 'number'
    return { ...own, type, ...boundsOf(converted) }
  }
  return refuse(
    path,
    'a choice of objects or lists',
    'make it one object with optional fields, or take text as well',
  )
}

const toObject = (node: Node): Draft => {
  const { schema, path } = node
  const { properties, additionalProperties, propertyNames: _, patternProperties: __, open, ...rest } = schema
  if (open === true) return { ...rest, additionalProperties: true }
  const fields = isRecord(properties) ? Object.entries(properties) : []
  if (fields.length === 0 && path === '') return { ...rest, properties: {}, additionalProperties: false }
  // A host that closes every object would let no field in.
  if (fields.length === 0)
    return additionalProperties === undefined || additionalProperties === false ? schema : asJson(schema)
  return {
    ...rest,
    properties: Object.fromEntries(
      fields.map(([name, field]) => [
        name,
        isRecord(field)
          ? toPortableNode({ ...node, schema: field, path: path ? `${path}.${name}` : name })
          : field,
      ]),
    ),
    additionalProperties: false,
  }
}

const toPortableNode = (node: Node): Draft => {
  const { $defs: _, default: preset, ...schema } = node.schema
  if (Array.isArray(schema.type))
    return toPortableNode({
      ...node,
      schema: { ...describe(schema), anyOf: schema.type.map(type => ({ ...schema, type })) },
    })
  const converted = toTyped({ ...node, schema })
  const fits = ['string', 'number', 'boolean'].includes(typeof preset) && converted.type !== 'object'
  return { ...converted, ...((fits || Array.isArray(preset)) && { default: preset }) }
}

const toTyped = (node: Node): Draft => {
  const { schema, path } = node
  if (typeof schema.$ref === 'string') return follow(node, schema.$ref)
  if (schema.anyOf !== undefined || schema.oneOf !== undefined) return toOneType(node)
  for (const keyword of ['allOf', 'not', 'if', 'prefixItems'])
    if (schema[keyword] !== undefined)
      refuse(
        path,
        `written with ${keyword}, which hosts refuse`,
        'use an object with optional fields, or a list of one type',
      )
  if (schema.const !== undefined) return { ...describe(schema), ...ofConstant(schema.const) }
  if (Array.isArray(schema.enum) && schema.enum.some(value => typeof value !== 'string'))
    return toOneType({ ...node, schema: { ...describe(schema), anyOf: schema.enum.map(ofConstant) } })
  if (schema.type === undefined) return asJson(schema)
  if (schema.type === 'string') return toText(schema)
  if (schema.type === 'number' || schema.type === 'integer') return toNumber(schema)
  if (schema.type === 'object') return toObject(node)
  if (schema.type !== 'array' || !isRecord(schema.items)) return schema
  return { ...schema, items: toPortableNode({ ...node, schema: schema.items, path: `${path}[]` }) }
}

/**
 * An input schema as every model host takes it: what OpenAI (strict or not), Gemini, Anthropic and the frameworks share. One type a
 * field, closed objects with fields, no references, portable patterns, the nine formats of OpenAI; what has no such type is JSON as text.
 * It may say less than the tool takes. The mark `open` keeps an object open that models have to fill freely. Throws an Error that names the field and the cure for what cannot be said.
 */
export const toPortable = (schema: PortableSchema): PortableSchema => {
  // A root that is no plain object is refused as such.
  if (schema.type !== 'object' || schema.anyOf || schema.oneOf || schema.allOf) return schema
  return toPortableNode({ schema: { ...schema }, root: { ...schema }, path: '', refs: [] })
}
