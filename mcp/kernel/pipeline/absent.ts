import type { z } from 'zod'
import { definition, unwrap } from './definition.ts'

const takes = (schema: z.core.$ZodType, value: unknown): boolean => {
  const ran = schema._zod.run({ value, issues: [] }, { async: false })
  return !(ran instanceof Promise) && ran.issues.length === 0
}

const isOptional = (schema: z.core.$ZodType): boolean => schema._zod.optin !== undefined

type Rules = { emptyIsAbsent: boolean }

const meansNothing = (schema: z.core.$ZodType, value: unknown, { emptyIsAbsent }: Rules): boolean => {
  if (value === null) return isOptional(schema) && !takes(schema, null)
  return value === '' && isOptional(schema) && (emptyIsAbsent || !takes(schema, ''))
}

const withoutAbsentFields = (
  shape: Readonly<Record<string, z.core.$ZodType>>,
  value: Readonly<Record<string, unknown>>,
  rules: Rules,
): object => {
  let copy: Record<string, unknown> | undefined
  for (const [name, inner] of Object.entries(value)) {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (!schema) continue
    if (inner === null || inner === '') {
      if (!meansNothing(schema, inner, rules)) continue
      copy ??= { ...value }
      delete copy[name]
    } else if (typeof inner === 'object') {
      const rest = withoutAbsent(schema, inner, rules)
      if (rest === inner) continue
      copy ??= { ...value }
      copy[name] = rest
    }
  }
  return copy ?? value
}

const mapEntries = (value: object, change: (entry: unknown) => unknown): object => {
  if (Array.isArray(value)) {
    const changed = value.map(change)
    return changed.some((entry, at) => entry !== value[at]) ? changed : value
  }
  const entries = Object.entries(value)
  const changed = entries.map(([name, entry]) => [name, change(entry)] as const)
  return changed.some(([, entry], at) => entry !== entries[at]?.[1]) ? Object.fromEntries(changed) : value
}

/**
 * The same value without the optional fields that say nothing: models and form clients send `null` for them, or empty text. `null`
 * stays where the schema takes it. Empty text stays where the schema takes it, unless `emptyIsAbsent`: a filter of a tool that only
 * reads. Fields that are required stay as they came, to be refused by name. The value itself is not changed.
 */
export const withoutAbsent = (schema: z.core.$ZodType, value: unknown, rules: Rules): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const { shape, element, valueType, options } = definition(unwrap(schema))
  if (shape)
    return Array.isArray(value)
      ? value
      : withoutAbsentFields(shape, value as Readonly<Record<string, unknown>>, rules)
  const entry = element ?? valueType
  if (entry) return mapEntries(value, inner => withoutAbsent(entry, inner, rules))
  for (const option of options ?? []) {
    const rest = withoutAbsent(option, value, rules)
    if (rest !== value && takes(option, rest)) return rest
  }
  return value
}
