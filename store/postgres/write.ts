import { addNumbers, indexValues } from '../document.ts'
import { type Counting, type Index, type Row, Taken } from '../index.ts'
import { checkIndexed, rowText } from '../row.ts'
import type { Ask } from './connections.ts'
import { documentTokens, literal, type Relation, sortKey } from './relation.ts'

/** A document as it will be stored, taken once, so that later changes of the caller's object do not reach it. */
export type SealedRow<T extends Row> = { row: T; text: string }

/** Checks that a row can be stored and takes its JSON. Throws an Error that says what is wrong. */
export const seal = <T extends Row>(row: T): SealedRow<T> => {
  const text = rowText(row)
  return { row: JSON.parse(text), text }
}

const values = (relation: Relation, { row, text }: SealedRow<Row>): unknown[] => {
  for (const index of relation.indexes) if (!index.words) indexValues(relation.collection, index, { ...row })
  checkIndexed(relation.indexes, row)
  return [row.id, text, documentTokens(relation, row)]
}

/** The unique indexes in which this row has a value. */
const uniqueIndexes = ({ collection, indexes }: Relation, row: Row): Index[] =>
  indexes.filter(
    index => index.unique && indexValues(collection, index, { ...row }).some(value => value !== null),
  )

/** Finds another document with the row's values in a unique index, and marks the place as read by the transaction. */
const holder = ({ schema, table, collection }: Relation, { name, fields }: Index): string => {
  const same = fields.map(field => `${sortKey(schema, field)} = ${sortKey(schema, field, '$2::jsonb')}`)
  return `SELECT ${literal(name)} AS index FROM ${table}
    WHERE collection = ${literal(collection)} AND id <> $1 AND ${same.join(' AND ')}`
}

/** False when the id or a unique value is there already. */
export const insertRow = async (ask: Ask, relation: Relation, sealed: SealedRow<Row>): Promise<boolean> => {
  const { count } = await ask(
    `INSERT INTO ${relation.table} (collection, id, doc, words)
       VALUES (${literal(relation.collection)}, $1, $2::jsonb, $3::text[]) ON CONFLICT DO NOTHING`,
    values(relation, sealed),
  )
  return count === 1
}

/**
 * Reads what stood in the way of an insert. ON CONFLICT DO NOTHING leaves no trace in the transaction, so that without
 * this the database would not see that the outcome hangs on those documents.
 */
export const readObstacles = async (
  ask: Ask,
  relation: Relation,
  { row, text }: SealedRow<Row>,
): Promise<void> => {
  const sameId = `SELECT '' AS index FROM ${relation.table}
    WHERE collection = ${literal(relation.collection)} AND id = $1 AND $2::jsonb IS NOT NULL`
  const holders = uniqueIndexes(relation, row).map(index => holder(relation, index))
  await ask([sameId, ...holders].join(' UNION ALL '), [row.id, text])
}

/** Inserts or replaces. Throws `Taken`, without an error in the database, when another document holds a unique value. */
export const putRow = async (ask: Ask, relation: Relation, sealed: SealedRow<Row>): Promise<void> => {
  const write = (condition: string) => `INSERT INTO ${relation.table} (collection, id, doc, words)
    SELECT ${literal(relation.collection)}, $1, $2::jsonb, $3::text[] ${condition}
    ON CONFLICT (collection, id) DO UPDATE SET doc = excluded.doc, words = excluded.words`
  const parameters = values(relation, sealed)
  const unique = uniqueIndexes(relation, sealed.row)
  if (unique.length === 0) {
    await ask(write(''), parameters)
    return
  }
  const conflictQuery = unique.map(index => holder(relation, index)).join(' UNION ALL ')
  const { rows } = await ask<{ index: string }>(
    `WITH taken AS MATERIALIZED (${conflictQuery}), written AS (${write('WHERE NOT EXISTS (SELECT FROM taken)')})
       SELECT index FROM taken LIMIT 1`,
    parameters,
  )
  if (rows[0]) throw new Taken(relation.collection, rows[0].index)
}

/** Adds to numbers of a row in one statement, which leaves no trace of a read in the transaction. */
export const addToRow = async (
  ask: Ask,
  { collection, table, indexes }: Relation,
  id: string,
  by: Readonly<Record<string, number>>,
  counting: Counting,
): Promise<Row | undefined> => {
  if (indexes.some(({ unique, words }) => unique || words))
    throw new Error(`${collection}: add is for collections without unique and words indexes`)
  const { max = {}, set = {}, dropAtZero } = counting
  const fresh = addNumbers(undefined, id, by, counting)
  if (!fresh) return undefined
  const sum = (field: string) =>
    `(coalesce((t.doc ->> ${literal(field)})::numeric, 0) + ($4::jsonb ->> ${literal(field)})::numeric)`
  const fields = Object.keys(by)
  const sums = fields.map(field => `${literal(field)}, greatest(0, ${sum(field)})`).join(', ')
  const bounded = fields.filter(field => Number.isFinite(max[field] ?? Number.POSITIVE_INFINITY))
  const within = bounded.map(field => `${sum(field)} <= ($5::jsonb ->> ${literal(field)})::numeric`)
  const { rows } = await ask<{ doc: Row }>(
    `INSERT INTO ${table} AS t (collection, id, doc) VALUES (${literal(collection)}, $1, $2::jsonb)
       ON CONFLICT (collection, id) DO UPDATE SET doc = t.doc || $3::jsonb || jsonb_build_object(${sums})
       WHERE ${['$5::jsonb IS NOT NULL', ...within].join(' AND ')} RETURNING doc`,
    [id, rowText(fresh), JSON.stringify(set), JSON.stringify(by), JSON.stringify(max)],
  )
  const row: (Row & Record<string, unknown>) | undefined = rows[0]?.doc
  if (dropAtZero !== undefined && row?.[dropAtZero] === 0)
    await ask(
      `DELETE FROM ${table} WHERE collection = ${literal(collection)} AND id = $1 AND doc ->> ${literal(dropAtZero)} = '0'`,
      [id],
    )
  return row
}
