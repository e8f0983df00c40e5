import { isRecord } from '../lib/json.ts'
import type { Schema } from './schema.ts'

/** Bytes that the listed output schema of one tool may have. Models hardly read it, and a list of 29 tools adds up. */
export const outputBudget = 800

/** What is tried in turn for a list that is over its budget otherwise. */
export const outputBudgets = [outputBudget, 650, 500, 350] as const

const branches = ['anyOf', 'oneOf'] as const

/** What a value is, without what is in it. */
const outline = (schema: unknown): Schema => {
  if (!isRecord(schema)) return {}
  for (const key of branches) {
    const list = schema[key]
    if (!Array.isArray(list)) continue
    const kinds = new Set(list.map(branch => JSON.stringify(outline(branch))))
    return { anyOf: [...kinds].map(kind => JSON.parse(kind)) }
  }
  const { type, $ref, const: only, enum: some } = schema
  if (type !== undefined) return { type }
  if ($ref !== undefined) return { $ref }
  return only === undefined ? { enum: some } : { const: only }
}

type Detail = {
  /** Levels of objects below the root that are written out. */
  levels: number
  /** Levels of fields that keep their descriptions. */
  described: number
  /** Fields that may be missing and may be of several types are left out. */
  terse?: true
}

/** The fields of one type, and those that are always there. */
const plainOf = (fields: Schema, required: unknown): [string, unknown][] =>
  Object.entries(fields).filter(
    ([name, sub]) =>
      (Array.isArray(required) && required.includes(name)) ||
      !(isRecord(sub) && branches.some(key => key in sub)),
  )

const write = (schema: unknown, detail: Detail, level: number): unknown => {
  if (!isRecord(schema)) return schema
  const { description, ...rest } = schema
  const about = description !== undefined && level <= detail.described ? { description } : {}
  if (level > detail.levels) return { ...outline(rest), ...about }
  const inner = Object.entries(rest).map(([key, value]) => {
    if (key === 'properties' && isRecord(value)) {
      const fields = detail.terse ? plainOf(value, rest.required) : Object.entries(value)
      return [key, Object.fromEntries(fields.map(([name, sub]) => [name, write(sub, detail, level + 1)]))]
    }
    if (Array.isArray(value) && /^(?:anyOf|oneOf|allOf|prefixItems)$/.test(key))
      return [key, value.map(sub => write(sub, detail, level))]
    const within = key === 'items' || key === 'additionalProperties'
    return [key, within ? write(value, detail, level) : value]
  })
  return { ...Object.fromEntries(inner), ...about }
}

const details: readonly Detail[] = [
  { levels: 9, described: 9 },
  { levels: 9, described: 1 },
  { levels: 1, described: 1 },
  { levels: 0, described: 1 },
  { levels: 0, described: 0 },
  { levels: 0, described: 0, terse: true },
]

/** Leaves out `$defs` that nothing refers to any more. */
const tidy = ({ $defs, ...schema }: Schema): Schema =>
  $defs !== undefined && JSON.stringify(schema).includes('"#/$defs/') ? { ...schema, $defs } : schema

/**
 * An output schema cut to the budget of a list: first the descriptions of inner fields go, then the inner fields, last the
 * outer descriptions. Whatever fits the full schema fits the cut one; describe_tool and OpenAPI tell the full one.
 */
export const brief = (schema: Schema, budget: number = outputBudget): Schema => {
  let cut = schema
  for (const detail of details) {
    cut = tidy(write(schema, detail, 0) as Schema)
    if (Buffer.byteLength(JSON.stringify(cut)) <= budget) return cut
  }
  return cut
}
