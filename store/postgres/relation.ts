import { createHash } from 'node:crypto'
import { indexText } from '../document.ts'
import type { Index, Row } from '../index.ts'
import { splitWords } from '../words.ts'

/** Place of a collection: its table, a partition of `documents`, and the indexes that the database keeps for it. */
export type Relation = {
  schema: string
  collection: string
  /** The quoted name of the table with its schema. */
  table: string
  indexes: readonly Index[]
  /** Indexes a query may name: those this program declared, then those that only the database knows. */
  queryable: readonly Index[]
}

export const hash = (...parts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 10)

/** Text as an SQL literal; the connections have standard_conforming_strings on. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The one way to say the same index, in whatever order its properties came. */
export const indexDefinition = ({ name, fields, unique = false, words = false }: Index) => ({
  name,
  fields,
  unique,
  words,
})

/** Distinguishes indexes of one name and different fields, or of different collections. */
export const indexHash = (collection: string, index: Index): string =>
  hash(collection, indexDefinition(index))

/** The expression that sorts by a field of `document`, which is an SQL expression. */
export const sortKey = (schema: string, field: string, document = 'doc'): string =>
  `(${schema}.sort_key(${document} -> ${literal(field)}) COLLATE "C")`

/**
 * The last column of an index: the id. Of a unique index it is the id only where every field is null, so that those
 * documents do not collide; all others are told apart by their values, which makes the order the same.
 */
export const tieBreaker = ({ schema }: { schema: string }, index: Index): string => {
  if (!index.unique) return 'id'
  const exempt = index.fields.map(field => `${sortKey(schema, field)} = '0'`).join(' AND ')
  return `((CASE WHEN ${exempt} THEN id ELSE '' END) COLLATE "C")`
}

const token = (collection: string, index: Index, word: string): string =>
  `${indexHash(collection, index)}:${word.length > 200 ? hash(word) : word}`

/** Tokens stored in `words` for these words of a `words` index. */
export const toTokens = (collection: string, index: Index, words: readonly string[]): string[] =>
  words.map(word => token(collection, index, word))

/** All that `words` holds for a document; null when its collection has no `words` index. */
export const documentTokens = (
  relation: Pick<Relation, 'collection' | 'indexes'>,
  row: Row,
): string[] | null => {
  const indexes = relation.indexes.filter(({ words }) => words)
  if (indexes.length === 0) return null
  return indexes.flatMap(index =>
    toTokens(relation.collection, index, splitWords(indexText(index, { ...row }))),
  )
}
