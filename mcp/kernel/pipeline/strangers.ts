import type { z } from 'zod'
import { findSpelling, underOneName } from './aliases.ts'
import { definition, unwrap } from './definition.ts'

type Raw = z.core.$ZodRawIssue
type Path = readonly PropertyKey[]

const scalars = new Set(['string', 'number', 'int', 'boolean', 'null', 'literal', 'enum', 'undefined'])

/** The strangers of the branch that knows most of a value; none where a branch takes anything. */
const findInBranches = (branches: readonly z.core.$ZodType[], value: unknown, path: Path): Raw[] => {
  const able = branches.filter(branch => !scalars.has(definition(unwrap(branch)).type))
  const [fewest] = able
    .map(branch => findStrangers(branch, value, path))
    .sort((one, other) => one.length - other.length)
  return fewest ?? []
}

const inObject = (shape: Readonly<Record<string, z.core.$ZodType>>, value: object, path: Path): Raw[] => {
  const keys: string[] = []
  const twins: Raw[] = []
  for (const [name, inner] of Object.entries(value)) {
    const own = findSpelling(shape, name)
    if (own === undefined) keys.push(name)
    else if (own !== name && inner !== Reflect.get(value, own))
      twins.push({ code: 'custom', message: underOneName(own), input: inner, path: [...path, name] })
  }
  if (keys.length === 0) return twins
  return [...twins, { code: 'unrecognized_keys', keys, input: {}, path: [...path] }]
}

/**
 * Fields of inner objects that their schemas do not know, and that zod would drop without a word, and those that came in two cases
 * that do not say the same. The root is not looked at: it is strict.
 */
export const findStrangers = (schema: z.core.$ZodType, value: unknown, path: Path = []): Raw[] => {
  if (typeof value !== 'object' || value === null) return []
  const { shape, element, valueType, options, catchall } = definition(unwrap(schema))
  if (options) return findInBranches(options, value, path)
  if (Array.isArray(value))
    return element ? value.flatMap((entry, at) => findStrangers(element, entry, [...path, at])) : []
  if (!shape && !valueType) return []
  const own = shape && !catchall && path.length > 0 ? inObject(shape, value, path) : []
  const inner = Object.entries(value).flatMap(([name, field]) => {
    const type = shape ? (Object.hasOwn(shape, name) ? shape[name] : undefined) : valueType
    return type ? findStrangers(type, field, [...path, name]) : []
  })
  return [...own, ...inner]
}
