import type { Index, Scalar } from './index.ts'

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
