import { decodeCursor } from './cursor.ts'
import type { Index, Query, Range, Scalar } from './index.ts'
import { splitWords } from './words.ts'

/**
 * A checked query. `equal` fixes the leading fields of the index, `range` bounds the field after them. On a `words`
 * index `words` holds all words that must occur, each in any of the index's fields; none asked means every row.
 */
export type Plan = {
  index: Index
  equal: Scalar[]
  range?: { field: string } & Range
  words?: string[]
  order: 'asc' | 'desc'
  limit: number
  /** The row to go on behind: the values of all fields of the index (none for `words`) and its id. */
  after?: { values: Scalar[]; id: string }
}

const bounds = ['gt', 'gte', 'lt', 'lte'] as const

const isScalar = (value: unknown): value is Scalar =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'string' ||
  (typeof value === 'number' && Number.isFinite(value))

const plain = (value: Scalar): Scalar => (value === 0 ? 0 : value)

const parseRange = (where: string, field: string, value: object): { field: string } & Range => {
  const range: { field: string } & Range = { field }
  for (const [bound, limit] of Object.entries(value)) {
    const name = bounds.find(candidate => candidate === bound)
    if (!name) throw new Error(`${where}: "${bound}" is not one of gt, gte, lt, lte`)
    if (!isScalar(limit))
      throw new Error(`${where}: ${bound} must be null, a boolean, a finite number or a string`)
    range[name] = plain(limit)
  }
  if ('gt' in range && 'gte' in range) throw new Error(`${where}: give gt or gte, not both`)
  if ('lt' in range && 'lte' in range) throw new Error(`${where}: give lt or lte, not both`)
  return range
}

const planWords = (index: Index, where: Record<string, unknown>): Pick<Plan, 'equal' | 'words'> => {
  const words = new Set<string>()
  for (const [field, text] of Object.entries(where)) {
    if (typeof text !== 'string')
      throw new Error(
        `index "${index.name}", field "${field}": a words index is asked with a string of words`,
      )
    for (const word of splitWords(text)) words.add(word)
  }
  return { equal: [], words: [...words] }
}

const planFields = (index: Index, where: Record<string, unknown>): Pick<Plan, 'equal' | 'range'> => {
  const equal: Scalar[] = []
  const whereFields = new Set(Object.keys(where))
  for (const field of index.fields) {
    if (!whereFields.delete(field)) break
    const value = where[field]
    const place = `index "${index.name}", field "${field}"`
    const isRange = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isRange && !isScalar(value))
      throw new Error(`${place}: must be null, a boolean, a finite number, a string or a range`)
    if (isScalar(value)) {
      equal.push(plain(value))
      continue
    }
    if (whereFields.size === 0) return { equal, range: parseRange(place, field, value as object) }
    throw new Error(
      `${place}: a range must be on the last field asked, not before "${[...whereFields].join('", "')}"`,
    )
  }
  if (whereFields.size === 0) return { equal }
  const missing = index.fields[equal.length]
  throw new Error(
    `index "${index.name}", field "${[...whereFields][0]}": the fields before it must be given, "${missing}" is not`,
  )
}

const planWhere = (index: Index, where: Record<string, unknown>): Pick<Plan, 'equal' | 'range' | 'words'> => {
  for (const field of Object.keys(where))
    if (!index.fields.includes(field))
      throw new Error(
        `index "${index.name}" has no field "${field}"; its fields are "${index.fields.join('", "')}"`,
      )
  return index.words ? planWords(index, where) : planFields(index, where)
}

/** Checks a query against the declared indexes. Throws an Error that names index and field when it does not fit. */
export const planQuery = (indexes: readonly Index[], query: Query): Plan => {
  const index = indexes.find(({ name }) => name === query.index)
  if (!index) {
    const indexNames = indexes.map(({ name }) => `"${name}"`).join(', ') || 'none'
    throw new Error(`index "${query.index}" is not declared; declared: ${indexNames}`)
  }
  const { where = {}, order = 'asc', limit = 100, after } = query
  if (order !== 'asc' && order !== 'desc')
    throw new Error(`index "${index.name}": order must be "asc" or "desc"`)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw new Error(`index "${index.name}": limit must be a whole number from 1 to 1000`)
  return {
    index,
    ...planWhere(index, where),
    order,
    limit,
    ...(after !== undefined && { after: decodeCursor(after, index.words ? 0 : index.fields.length) }),
  }
}
