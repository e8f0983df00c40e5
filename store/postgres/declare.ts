import type { Index } from '../index.ts'
import type { Ask } from './connections.ts'
import { isDuplicate } from './failure.ts'
import {
  documentTokens,
  hash,
  indexDefinition,
  indexHash,
  literal,
  type Relation,
  sortKey,
  tieBreaker,
} from './relation.ts'
import { lockKey } from './schema.ts'

type BuiltRelation = Omit<Relation, 'queryable'>

type StoredRelation = { relation: string; indexes: Index[] }

const slug = (name: string): string =>
  `${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 24)}_${hash(name)}`

const tableName = (name: string, ...version: unknown[]): string => `t_${slug(name)}_${hash(version)}`

const indexName = (collection: string, index: Index): string =>
  `i_${slug(collection)}_${indexHash(collection, index)}`

/** Looks up a collection in the database; undefined when it was never declared. */
export const readRelation = async (
  ask: Ask,
  schema: string,
  name: string,
): Promise<StoredRelation | undefined> =>
  (await ask<StoredRelation>(`SELECT relation, indexes FROM ${schema}.collections WHERE name = $1`, [name]))
    .rows[0]

/** The declared indexes that the database does not have yet, or has with other fields under the same name. */
export const missing = (
  collection: string,
  declaredIndexes: readonly Index[],
  knownIndexes: readonly Index[],
): Index[] => {
  const have = new Set(knownIndexes.map(index => indexHash(collection, index)))
  return declaredIndexes.filter(index => !have.has(indexHash(collection, index)))
}

const fillWords = async (ask: Ask, relation: BuiltRelation): Promise<void> => {
  const here = `collection = ${literal(relation.collection)}`
  for (let after = ''; ; ) {
    const { rows } = await ask<{ id: string; doc: { id: string } }>(
      `SELECT id, doc FROM ${relation.table} WHERE ${here} AND id > $1 ORDER BY id LIMIT 500`,
      [after],
    )
    const last = rows.at(-1)
    if (!last) return
    await ask(
      `UPDATE ${relation.table} AS d SET words = ARRAY(SELECT jsonb_array_elements_text(n.words))
         FROM unnest($1::text[], $2::jsonb[]) AS n (id, words) WHERE ${here} AND d.id = n.id`,
      [rows.map(row => row.id), rows.map(row => JSON.stringify(documentTokens(relation, row.doc)))],
    )
    after = last.id
  }
}

const buildIndex = async (ask: Ask, relation: BuiltRelation, index: Index): Promise<void> => {
  const name = indexName(relation.collection, index)
  const columns = [...index.fields.map(field => sortKey(relation.schema, field)), tieBreaker(relation, index)]
  const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX'
  await ask(`CREATE ${kind} ${name} ON ${relation.table} (${columns.join(', ')})`).catch(error => {
    if (!(error instanceof Error) || !isDuplicate(error.cause)) throw error
    throw new Error(
      `${relation.collection}: index "${index.name}" cannot be unique: stored documents have equal values`,
    )
  })
}

const createTable = async (ask: Ask, { schema, table, collection }: BuiltRelation): Promise<void> => {
  await ask(`CREATE TABLE ${table} (LIKE ${schema}.documents INCLUDING ALL)`)
  await ask(
    `ALTER TABLE ${schema}.documents ATTACH PARTITION ${table} FOR VALUES IN (${literal(collection)})`,
  )
}

/**
 * Makes the table and the missing indexes of a collection, in one READ COMMITTED transaction that one replica runs at a
 * time. Where documents are there already, a change of `words` or `unique` indexes renames the table: a replica that
 * does not know of it meets a missing table, looks again, and never writes a document without its words.
 * Indexes that are not declared any more stay, because another version of the program may still run beside this one.
 */
export const build = async (
  ask: Ask,
  schema: string,
  collection: string,
  declaredIndexes: readonly Index[],
): Promise<void> => {
  await ask('SET LOCAL synchronous_commit = on')
  await ask("SET LOCAL lock_timeout = '3s'")
  await ask(`SELECT pg_advisory_xact_lock(${lockKey(schema, 'declare')})`)
  const before = await readRelation(ask, schema, collection)
  const knownIndexes = before?.indexes ?? []
  const added = missing(collection, declaredIndexes, knownIndexes)
  if (before && added.length === 0) return
  const replaced = knownIndexes.filter(({ name }) => added.some(index => index.name === name))
  const indexes = [...knownIndexes.filter(index => !replaced.includes(index)), ...added].map(indexDefinition)
  const matters = [...added, ...replaced].some(({ unique, words }) => unique || words)
  const name = before && !matters ? before.relation : tableName(collection, indexes, before?.relation)
  const relation = { schema, collection, table: `${schema}.${name}`, indexes }
  if (!before) await createTable(ask, relation)
  else if (matters) await ask(`ALTER TABLE ${schema}.${before.relation} RENAME TO ${name}`)
  for (const index of replaced) await ask(`DROP INDEX IF EXISTS ${schema}.${indexName(collection, index)}`)
  for (const index of added) if (!index.words) await buildIndex(ask, relation, index)
  if ([...added, ...replaced].some(({ words }) => words)) {
    await fillWords(ask, relation)
    const gin = `w_${slug(collection)}`
    await ask(
      `CREATE INDEX IF NOT EXISTS ${gin} ON ${relation.table} USING gin (words) WITH (fastupdate = off)`,
    )
  }
  await ask(
    `INSERT INTO ${schema}.collections VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET relation = excluded.relation, indexes = excluded.indexes`,
    [collection, name, JSON.stringify(indexes)],
  )
}
