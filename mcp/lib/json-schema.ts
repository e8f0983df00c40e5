import canonicalize from 'canonicalize'
import { isRecord, type JsonRecord } from './json.ts'

type Schema = JsonRecord | boolean

/** Keywords whose value is a schema, a list of schemas, or schemas by name (JSON Schema 2020-12). */
const subschemas: Readonly<Record<string, 'one' | 'list' | 'named'>> = {
  additionalProperties: 'one',
  items: 'one',
  contains: 'one',
  not: 'one',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  prefixItems: 'list',
  properties: 'named',
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isAny = (): boolean => true
const types = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** Required form of every other keyword's value. Annotations are taken and assert nothing; `format` is one of them. */
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: value => [value].flat().every(name => types.includes(String(name))),
  enum: value => Array.isArray(value),
  required: value => Array.isArray(value) && value.every(name => typeof name === 'string'),
  uniqueItems: value => typeof value === 'boolean',
  multipleOf: value => typeof value === 'number' && value > 0,
  const: isAny,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  $schema: isAny,
  $comment: isAny,
  $id: isAny,
  title: isAny,
  description: isAny,
  default: isAny,
  examples: isAny,
  deprecated: isAny,
  readOnly: isAny,
  writeOnly: isAny,
  format: isAny,
}

const maxDepth = 12
const maxNodes = 500

/**
 * Why a value is no JSON Schema that is checked here, as a sentence without its subject; undefined for one that is. A keyword that is
 * not in the tables is refused, never ignored: patterns of strangers may take for ever, and references lead anywhere.
 */
export const findSchemaFault = (schema: unknown): string | undefined => {
  let nodes = 0
  const visit = (value: unknown, depth: number): string | undefined => {
    nodes++
    if (nodes > maxNodes) return `holds more than ${maxNodes} schemas`
    if (depth > maxDepth) return `is nested more than ${maxDepth} levels deep`
    if (typeof value === 'boolean') return undefined
    if (!isRecord(value)) return 'holds something that is no schema'
    for (const [name, inner] of Object.entries(value)) {
      const kind = Object.hasOwn(subschemas, name) ? subschemas[name] : undefined
      if (!kind) {
        const form = Object.hasOwn(forms, name) ? forms[name] : undefined
        if (!form) return `holds ${name.slice(0, 40)}, which is not checked here`
        if (!form(inner)) return `has no valid ${name}`
        continue
      }
      if (kind === 'list' && !Array.isArray(inner)) return `has no valid ${name}`
      if (kind === 'named' && !isRecord(inner)) return `has no valid ${name}`
      const all = kind === 'one' ? [inner] : Object.values(inner as object)
      const fault = all.map(one => visit(one, depth + 1)).find(one => one !== undefined)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  return visit(schema, 0)
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

const list = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value : [])

/** True for a quotient that is whole but for what binary fractions lose: 0.3 is a multiple of 0.1. */
const isWhole = (ratio: number): boolean => Math.abs(Math.round(ratio) - ratio) <= 1e-12 * Math.abs(ratio)

const checkNumber = (schema: JsonRecord, value: number): string | undefined => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) return `is below ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `is above ${maximum}`
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `is not above ${exclusiveMinimum}`
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `is not below ${exclusiveMaximum}`
  if (typeof multipleOf === 'number' && !isWhole(value / multipleOf)) return `is no multiple of ${multipleOf}`
  return undefined
}

const checkSize = (size: number, min: unknown, max: unknown, what: string): string | undefined => {
  if (typeof min === 'number' && size < min) return `has fewer than ${min} ${what}`
  return typeof max === 'number' && size > max ? `has more than ${max} ${what}` : undefined
}

/** Code points, which the standard counts. */
const countCharacters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Steps of one check, on the event loop: values that are held against a schema, and characters that are compared. Both may be a stranger's. */
const maxSteps = 1_000_000

class OutOfSteps extends Error {}

const openCheck = () => {
  let left = maxSteps
  const charge = (steps: number): void => {
    left -= steps
    if (left < 0) throw new OutOfSteps()
  }

  /** A value as a text that equal values share. */
  const toText = (value: unknown): string => {
    const text = canonicalize(value) ?? ''
    charge(text.length)
    return text
  }

  const isOneOf = (value: unknown, allowed: readonly unknown[]): boolean => {
    charge(allowed.length)
    if (typeof value !== 'object' || value === null) return allowed.includes(value)
    const text = toText(value)
    return allowed.some(one => typeof one === 'object' && one !== null && toText(one) === text)
  }

  const checkArray = (schema: JsonRecord, value: readonly unknown[], path: string): string | undefined => {
    const size = checkSize(value.length, schema.minItems, schema.maxItems, 'items')
    if (size) return `${path} ${size}`
    if (schema.uniqueItems === true && new Set(value.map(toText)).size < value.length)
      return `${path} holds an item twice`
    const contains = schema.contains as Schema | undefined
    if (contains !== undefined && !value.some(item => findMismatch(contains, item, path) === undefined))
      return `${path} holds no item that is asked for`
    const first = list(schema.prefixItems)
    for (const [at, item] of value.entries()) {
      const inner = first[at] ?? (schema.items as Schema | undefined) ?? true
      const mismatch = findMismatch(inner, item, `${path}.${at}`)
      if (mismatch) return mismatch
    }
    return undefined
  }

  const checkObject = (schema: JsonRecord, value: JsonRecord, path: string): string | undefined => {
    const size = checkSize(Object.keys(value).length, schema.minProperties, schema.maxProperties, 'fields')
    if (size) return `${path} ${size}`
    const required = list(schema.required)
    charge(required.length)
    const missing = required.find(name => !Object.hasOwn(value, String(name)))
    if (missing !== undefined) return `${path}.${String(missing)} is missing`
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const others = (schema.additionalProperties as Schema | undefined) ?? true
    for (const [name, inner] of Object.entries(value)) {
      const own = Object.hasOwn(properties, name) ? (properties[name] as Schema) : others
      const mismatch = findMismatch(own, inner, `${path}.${name.slice(0, 80)}`)
      if (mismatch) return mismatch
    }
    return undefined
  }

  const checkCombined = (schema: JsonRecord, value: unknown, path: string): string | undefined => {
    const matches = (inner: Schema) => findMismatch(inner, value, path) === undefined
    for (const inner of list(schema.allOf)) {
      const mismatch = findMismatch(inner, value, path)
      if (mismatch) return mismatch
    }
    if (schema.anyOf !== undefined && !list(schema.anyOf).some(matches))
      return `${path} matches none of anyOf`
    if (schema.oneOf !== undefined && list(schema.oneOf).filter(matches).length !== 1)
      return `${path} does not match exactly one of oneOf`
    if (schema.not !== undefined && matches(schema.not as Schema)) return `${path} is what it must not be`
    return undefined
  }

  const checkText = ({ minLength, maxLength }: JsonRecord, value: string): string | undefined => {
    if (minLength === undefined && maxLength === undefined) return undefined
    charge(value.length >> 4)
    return checkSize(countCharacters(value), minLength, maxLength, 'characters')
  }

  const findMismatch = (schema: Schema, value: unknown, path: string): string | undefined => {
    charge(1)
    if (schema === true) return undefined
    if (schema === false) return `${path} is not allowed`
    const type = typeOf(value)
    const isType = (name: unknown) => name === type || (name === 'integer' && Number.isInteger(value))
    if (schema.type !== undefined && ![schema.type].flat().some(isType))
      return `${path} is ${type}, not ${[schema.type].flat().join(' or ')}`
    if (schema.enum !== undefined && !isOneOf(value, list(schema.enum))) return `${path} is none of enum`
    if (Object.hasOwn(schema, 'const') && !isOneOf(value, [schema.const])) return `${path} is not the const`
    const simple =
      typeof value === 'number'
        ? checkNumber(schema, value)
        : typeof value === 'string'
          ? checkText(schema, value)
          : undefined
    if (simple) return `${path} ${simple}`
    const inside = Array.isArray(value)
      ? checkArray(schema, value, path)
      : isRecord(value)
        ? checkObject(schema, value, path)
        : undefined
    return inside ?? checkCombined(schema, value, path)
  }
  return findMismatch
}

/**
 * Holds a value against a faultless schema. `mismatch` is the first place where it breaks it, as a sentence; null where it matches.
 * Undefined where that would take more than 1,000,000 steps: then nobody knows.
 */
export const checkAgainstSchema = (
  schema: Schema,
  value: unknown,
): { mismatch: string | null } | undefined => {
  try {
    return { mismatch: openCheck()(schema, value, 'the result') ?? null }
  } catch (error) {
    if (error instanceof OutOfSteps) return undefined
    throw error
  }
}
