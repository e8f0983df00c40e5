import type { Counting, Index, Row, Scalar } from './index.ts'

/**
 * The values of an index's fields in a stored document; what is missing is null. Throws an Error when a field holds a
 * list or an object, which have no place in the order.
 */
export const indexValues = (collection: string, index: Index, row: Record<string, unknown>): Scalar[] =>
  index.fields.map(field => {
    const value = (Object.hasOwn(row, field) ? row[field] : null) ?? null
    if (typeof value !== 'object' || value === null) return value as Scalar
    const place = `${collection}: index "${index.name}", field "${field}"`
    throw new Error(`${place}: must be null, a boolean, a number or a string, not a list or an object`)
  })

/** The text that a `words` index takes its words from: its fields that hold strings. */
export const indexText = (index: Index, row: Record<string, unknown>): string =>
  index.fields
    .map(field => (Object.hasOwn(row, field) ? row[field] : null))
    .filter(value => typeof value === 'string')
    .join('\n')

/** The row of `Collection.add` after it: `before` is what it was. Undefined where a number would pass its `max`. */
export const addNumbers = (
  before: Row | undefined,
  id: string,
  by: Readonly<Record<string, number>>,
  { max = {}, set = {} }: Counting,
): Row | undefined => {
  const row: Record<string, unknown> & Row = { ...before, ...set, id }
  for (const [field, more] of Object.entries(by)) {
    const value = row[field]
    const sum = (typeof value === 'number' ? value : 0) + more
    if (sum > (max[field] ?? Number.POSITIVE_INFINITY)) return undefined
    row[field] = Math.max(0, sum)
  }
  return row
}
