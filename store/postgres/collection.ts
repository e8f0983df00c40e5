import { encodeCursor } from '../cursor.ts'
import type { Collection, Row } from '../index.ts'
import { type Plan, planQuery } from '../query.ts'
import { storable } from '../row.ts'
import type { Ask } from './connections.ts'
import { countStatement, cursorValues, findStatement, windowStatement } from './find.ts'
import { literal, type Relation, toTokens } from './relation.ts'
import { countRarest } from './word-shares.ts'
import { addToRow, insertRow, putRow, readObstacles, seal } from './write.ts'

type Verb<R> = (ask: Ask, relation: Relation) => Promise<R>

/**
 * How the verbs of one collection reach the database: `search` and `read` change nothing, `write` is a single statement about one row,
 * `steps` are several about it that belong together. All may run their work again after a conflict, `inside` a transaction only together
 * with all of it. `apart` runs by itself outside of all transactions; `undo` takes it back where that of the verb is not committed.
 */
export type Steps = {
  inside: boolean
  search<R>(work: Verb<R>): Promise<R>
  read<R>(id: string, work: Verb<R>): Promise<R>
  write<R>(id: string, work: Verb<R>): Promise<R>
  steps<R>(id: string, work: Verb<R>): Promise<R>
  apart<R>(work: Verb<R>, undo: Verb<unknown>): Promise<R>
}

const readRow = async <T>(ask: Ask, relation: Relation, id: string, lock = ''): Promise<T | undefined> => {
  const sql = `SELECT doc FROM ${relation.table} WHERE collection = ${literal(relation.collection)} AND id = $1 ${lock}`
  return (await ask<{ doc: T }>(sql, [id])).rows[0]?.doc
}

/** Matches that are better found by their words, then sorted, than looked for in order. */
const maxSorted = 1000

const hasCommonWords = async (
  ask: Ask,
  relation: Relation,
  { index, words = [] }: Plan,
): Promise<boolean> => {
  if (words.length === 0) return false
  const rarest = await countRarest(ask, relation, toTokens(relation.collection, index, words))
  return rarest !== undefined && rarest > maxSorted
}

/** A page of common words: what the next documents have of them, be it little. */
const findNear = async <T extends Row>(ask: Ask, relation: Relation, plan: Plan) => {
  const { sql, values } = windowStatement(relation, plan)
  const { rows } = await ask<{ id: string; doc: T | null; edge: boolean }>(sql, values)
  const matches = rows.flatMap(({ doc }) => (doc === null ? [] : [doc]))
  const page = matches.slice(0, plan.limit)
  const last = rows.at(-1)
  const end = matches.length > plan.limit ? page.at(-1)?.id : last?.edge ? last.id : undefined
  return { rows: page, next: end === undefined ? undefined : encodeCursor([], end) }
}

const find = async <T extends Row>(
  ask: Ask,
  relation: Relation,
  query: Parameters<Collection<T>['find']>[0],
) => {
  const plan = planQuery(relation.queryable, query)
  if (await hasCommonWords(ask, relation, plan)) return findNear<T>(ask, relation, plan)
  const statement = findStatement(relation, plan)
  if (!statement) return { rows: [], next: undefined }
  const { rows } = await ask<{ doc: T }>(statement.sql, statement.values)
  const page = rows.slice(0, plan.limit).map(({ doc }) => doc)
  const last = page.at(-1)
  if (rows.length <= plan.limit || !last) return { rows: page, next: undefined }
  return {
    rows: page,
    next: encodeCursor(plan.index.words ? [] : cursorValues(plan.index, { ...last }), last.id),
  }
}

/** The verbs of a collection over `steps`. */
export const collectionOver = <T extends Row>({
  inside,
  search,
  read,
  write,
  steps,
  apart,
}: Steps): Collection<T> => ({
  get: async id => (storable(id) ? read(id, (ask, relation) => readRow<T>(ask, relation, id)) : undefined),

  insert: async row => {
    const sealed = seal(row)
    if (!inside) return write(sealed.row.id, (ask, relation) => insertRow(ask, relation, sealed))
    return steps(sealed.row.id, async (ask, relation) => {
      const inserted = await insertRow(ask, relation, sealed)
      if (!inserted) await readObstacles(ask, relation, sealed)
      return inserted
    })
  },

  put: async row => {
    const sealed = seal(row)
    return write(sealed.row.id, (ask, relation) => putRow(ask, relation, sealed))
  },

  update: async (id, change) => {
    if (!storable(id)) return undefined
    return steps(id, async (ask, relation) => {
      const row = await readRow<T>(ask, relation, id, 'FOR UPDATE')
      if (!row) return undefined
      const sealed = seal(change(row))
      if (sealed.row.id !== id) throw new Error(`document "${id}": an update must keep its id`)
      await putRow(ask, relation, sealed)
      return sealed.row
    })
  },

  add: async (id, by, counting = {}) => {
    const back = Object.fromEntries(Object.entries(by).map(([field, more]) => [field, -more]))
    const { max: _, ...unbounded } = counting
    const step: Verb<T | undefined> = async (ask, relation) =>
      (await addToRow(ask, relation, id, by, counting)) as T | undefined
    return counting.apart
      ? apart(step, (ask, relation) => addToRow(ask, relation, id, back, unbounded))
      : write(id, step)
  },

  delete: async id => {
    if (!storable(id)) return false
    return write(id, async (ask, relation) => {
      const where = `collection = ${literal(relation.collection)} AND id = $1`
      return (await ask(`DELETE FROM ${relation.table} WHERE ${where}`, [id])).count === 1
    })
  },

  count: async query =>
    search(async (ask, relation) => {
      const statement = countStatement(relation, query)
      if (!statement) return 0
      const { rows } = await ask<{ count: string }>(statement.sql, statement.values)
      return Number(rows[0]?.count)
    }),

  find: async query => search((ask, relation) => find<T>(ask, relation, query)),
})
