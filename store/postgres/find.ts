import type { Index, Query, Scalar } from '../index.ts'
import type { Plan } from '../query.ts'
import { planQuery } from '../query.ts'
import { storable } from '../row.ts'
import { literal, type Relation, sortKey, tieBreaker, toTokens } from './relation.ts'

/** A statement's conditions: `sql` refers to `values` as $1, $2 …; undefined `sql` where no document can match. */
type Conditions = { sql: string; values: unknown[]; empty: boolean }

const isText = (value: unknown): value is string => typeof value === 'string'

const operators = [
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
] as const

/** The values of an index's fields in a stored document, for the cursor; what has no place in the order is null. */
export const cursorValues = (index: Index, document: Record<string, unknown>): Scalar[] =>
  index.fields.map(field => {
    const value = Object.hasOwn(document, field) ? document[field] : null
    return value === undefined || typeof value === 'object' ? null : (value as Scalar)
  })

const buildConditions = (relation: Relation, plan: Plan, isWindow = false): Conditions => {
  const { index, equal, range, words = [], after } = plan
  const { schema, collection } = relation
  const values: unknown[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const keyed = (value: Scalar): string =>
    `(${schema}.sort_key(${bind(JSON.stringify(value))}::jsonb) COLLATE "C")`
  const parts = [`collection = ${literal(collection)}`]

  const empty = equal.some(value => isText(value) && !storable(value))
  if (empty) return { sql: '', values, empty }
  for (const [position, value] of equal.entries())
    parts.push(`${sortKey(schema, index.fields[position] ?? '')} = ${keyed(value)}`)
  for (const [name, operator] of operators) {
    const limitValue = range?.[name]
    if (!range || limitValue === undefined) continue
    if (isText(limitValue) && !storable(limitValue))
      throw new Error(
        `index "${index.name}", field "${range.field}": ${name} has a character that cannot be stored`,
      )
    parts.push(`${sortKey(schema, range.field)} ${operator} ${keyed(limitValue)}`)
  }
  if (words.length > 0 && !isWindow)
    parts.push(`words @> ${bind(toTokens(collection, index, words))}::text[]`)
  if (after) {
    const fields = index.words ? [] : index.fields.slice(equal.length)
    const keys = fields.map((_, position) => keyed(after.values[equal.length + position] ?? null))
    const exempt = !index.unique || after.values.every(value => value === null)
    const leftSide = [...fields.map(field => sortKey(schema, field)), tieBreaker(relation, index)]
    const rightSide = [...keys, `${bind(exempt ? after.id : '')}::text`]
    parts.push(`(${leftSide.join(', ')}) ${plan.order === 'asc' ? '>' : '<'} (${rightSide.join(', ')})`)
  }
  return { sql: parts.join(' AND '), values, empty }
}

/** The statement that finds one row more than the page holds; undefined where no document can match. */
export const findStatement = (
  relation: Relation,
  plan: Plan,
): { sql: string; values: unknown[] } | undefined => {
  const { sql, values, empty } = buildConditions(relation, plan)
  if (empty) return undefined
  const { index } = plan
  const fields = index.words ? [] : index.fields.map(field => sortKey(relation.schema, field))
  const order = [...fields, tieBreaker(relation, index)].map(column => `${column} ${plan.order}`)
  return {
    sql: `SELECT doc FROM ${relation.table} WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ${plan.limit + 1}`,
    values,
  }
}

/** Documents in a row that one page of a search may look through: about a millisecond, whatever the words. */
const maxLookedThrough = 512

/**
 * The statement that looks for words among the next documents in order of ids, of which the last one comes back as the `edge`, with
 * or without a `doc`. It costs the same however many documents there are, whether the words meet often or never.
 */
export const windowStatement = (relation: Relation, plan: Plan): { sql: string; values: unknown[] } => {
  const { index, words = [], order, limit } = plan
  const { sql, values } = buildConditions(relation, plan, true)
  const size = maxLookedThrough + limit
  // Written this way round, it is told from what is planned anew for other words.
  const holds = `$${values.push(toTokens(relation.collection, index, words))}::text[] <@ words`
  return {
    sql: `SELECT id, CASE WHEN ${holds} THEN doc END AS doc, place = ${size} AS edge
      FROM (SELECT id, doc, words, row_number() OVER (ORDER BY id ${order}) AS place
        FROM ${relation.table} WHERE ${sql} ORDER BY id ${order} LIMIT ${size}) AS near
      WHERE ${holds} OR place = ${size} ORDER BY id ${order} LIMIT ${limit + 1}`,
    values,
  }
}

/** The statement that counts what a query would find, or all; undefined where no document can match. */
export const countStatement = (
  relation: Relation,
  query: Pick<Query, 'index' | 'where'> | undefined,
): { sql: string; values: unknown[] } | undefined => {
  const from = `SELECT count(*) AS count FROM ${relation.table} WHERE`
  if (!query) return { sql: `${from} collection = ${literal(relation.collection)}`, values: [] }
  const { index, where } = query
  const { sql, values, empty } = buildConditions(
    relation,
    planQuery(relation.queryable, where ? { index, where } : { index }),
  )
  return empty ? undefined : { sql: `${from} ${sql}`, values }
}
