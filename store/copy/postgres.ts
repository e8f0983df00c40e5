import { type Index, StoreFailure } from '../index.ts'
import { type Ask, type Connections, openPools } from '../postgres/connections.ts'
import { build } from '../postgres/declare.ts'
import { readMark, writeSchemaMark } from '../postgres/marks.ts'
import { literal } from '../postgres/relation.ts'
import { migrate, schemaVersion } from '../postgres/schema.ts'
import type { Content } from './content.ts'

const pageSize = 500
const movingCode = 'OCTMV'

type Stored = { name: string; relation: string; indexes: Index[] }

/** Pages of a query by a key that rises: `sql` takes the last key and the length of a page. */
async function* pages<R extends object>(
  ask: Ask,
  sql: string,
  keyOf: (row: R) => unknown[],
  first: unknown[],
) {
  for (let after = first; ; ) {
    const { rows } = await ask<R>(sql, [...after, pageSize])
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = keyOf(last)
  }
}

/** Content of a schema, as the transaction of `ask` sees it; claims that are over at `now` are none. */
const openContent = (ask: Ask, schema: string, now: Date): Content => {
  const readCollections = async () =>
    (await ask<Stored>(`SELECT name, relation, indexes FROM ${schema}.collections ORDER BY name`)).rows
  return {
    async *collections() {
      for (const { name, relation, indexes } of await readCollections()) {
        const { rows } = await ask<{ found: boolean }>(
          `SELECT EXISTS (SELECT FROM ${schema}.${relation} WHERE collection = ${literal(name)}) AS found`,
        )
        if (indexes.length > 0 || rows[0]?.found) yield { name, indexes }
      }
    },
    async *rows(collection) {
      const stored = (await readCollections()).find(({ name }) => name === collection)
      if (!stored) return
      const sql = `SELECT id, doc::text AS text FROM ${schema}.${stored.relation}
        WHERE collection = ${literal(collection)} AND id > $1 ORDER BY id LIMIT $2`
      yield* pages<{ id: string; text: string }>(ask, sql, ({ id }) => [id], [''])
    },
    async *claims() {
      const sql = `SELECT key, round(extract(epoch FROM until) * 1000)::float8 AS until FROM ${schema}.claims
        WHERE until > to_timestamp(${now.getTime()}::float8 / 1000) AND key > $1 ORDER BY key LIMIT $2`
      yield* pages<{ key: string; until: number }>(ask, sql, ({ key }) => [key], [''])
    },
    async *entries() {
      const sql = `SELECT topic, at::float8 AS at, time, payload::text AS text FROM ${schema}.entries
        WHERE (topic, at) > ($1, $2::bigint) ORDER BY topic, at LIMIT $3`
      type EntryRow = { topic: string; at: number; time: Date; text: string }
      for await (const page of pages<EntryRow>(ask, sql, ({ topic, at }) => [topic, at], ['', 0]))
        yield page.map(({ time, ...entry }) => ({ ...entry, time: time.toISOString() }))
    },
  }
}

const withTransaction = async <R>(ask: Ask, work: () => Promise<R>): Promise<R> => {
  await ask('BEGIN')
  try {
    const result = await work()
    await ask('COMMIT')
    return result
  } catch (error) {
    await ask('ROLLBACK').catch(() => undefined)
    throw error
  }
}

const lockOf = (schema: string): string => `hashtextextended('octagent:${schema}:moving', 0)`

/**
 * Refuses writes of all replicas, also of older versions, as long as this session lives or once the schema is marked. Whoever writes
 * meanwhile is told; after a mover that died, the triggers are there and let everybody through.
 */
const refuseWrites = async (ask: Ask, schema: string): Promise<void> => {
  const { rows } = await ask<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${lockOf(schema)}) AS taken`)
  if (!rows[0]?.taken) throw new StoreFailure(`another octagent migrate reads the schema "${schema}"`)
  await withTransaction(ask, async () => {
    await ask(`CREATE TABLE IF NOT EXISTS ${schema}.moving (state text NOT NULL, place text NOT NULL)`)
    await ask(`CREATE OR REPLACE FUNCTION ${schema}.refuse_writes() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM ${schema}.moving) OR NOT pg_try_advisory_xact_lock_shared(${lockOf(schema)}) THEN
          RAISE EXCEPTION 'the store is being moved' USING ERRCODE = '${movingCode}';
        END IF;
        RETURN NULL;
      END $$`)
    const { rows: tables } = await ask<{ relation: string }>(`SELECT relation FROM ${schema}.collections`)
    const names = ['collections', 'claims', 'topics', 'entries', ...tables.map(({ relation }) => relation)]
    for (const name of names) {
      await ask(`DROP TRIGGER IF EXISTS refuse_writes ON ${schema}.${name}`)
      await ask(`CREATE TRIGGER refuse_writes BEFORE INSERT OR UPDATE OR DELETE ON ${schema}.${name}
        FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_writes()`)
    }
  })
}

/** A schema whose store is read for a copy: it refuses writes until it is let go, or for good once it has moved. */
export type PostgresSource = {
  content: Content
  /** The store goes on at `place`. Throws a StoreFailure when writes may have got through since the content was read. */
  markMoved(place: string): Promise<void>
  release(): Promise<void>
}

/** A session at a schema that this program can read. */
const openSession = async (url: string, schema: string) => {
  const connections = await openPools(url, { size: 2 })
  const { ask, release: giveBack } = await lendSession(connections)
  let isOver = false
  const end = async () => {
    if (isOver) return
    isOver = true
    giveBack()
    await connections.end()
  }
  try {
    const { rows } = await ask<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
      `${schema}.version`,
    ])
    if (!rows[0]?.found) throw new StoreFailure(`the database has no store in the schema "${schema}"`)
    const { rows: versions } = await ask<{ version: number }>(`SELECT version FROM ${schema}.version`)
    if (versions[0]?.version !== schemaVersion)
      throw new StoreFailure(
        `the database has schema version ${versions[0]?.version}, this program has ${schemaVersion}: start its server once`,
      )
    const mark = await readMark(ask, schema)
    if (mark) throw new StoreFailure(`the schema "${schema}" is marked as ${mark.state} (${mark.place})`)
    return { ask, end }
  } catch (error) {
    await end()
    throw error
  }
}

const beginReading = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Opens a snapshot of a schema for as long as it is read; everybody else goes on. */
export const openPostgresSnapshot = async (
  url: string,
  schema: string,
  now: Date,
): Promise<Pick<PostgresSource, 'content' | 'release'>> => {
  const { ask, end } = await openSession(url, schema)
  await ask(beginReading)
  return {
    content: openContent(ask, schema, now),
    release: async () => {
      await ask('COMMIT').catch(() => undefined)
      await end()
    },
  }
}

export const openPostgresSource = async (url: string, schema: string, now: Date): Promise<PostgresSource> => {
  const { ask, end } = await openSession(url, schema)
  const drop = async () => {
    await ask('ROLLBACK').catch(() => undefined)
    await ask(`DROP FUNCTION IF EXISTS ${schema}.refuse_writes CASCADE`).catch(() => undefined)
  }
  try {
    await refuseWrites(ask, schema)
    await ask(beginReading)
  } catch (error) {
    await end()
    throw error
  }
  return {
    content: openContent(ask, schema, now),
    // The session that has the lock does this: were it lost, and writes let through, this would fail.
    markMoved: async place => {
      await ask('COMMIT')
      await withTransaction(ask, () => writeSchemaMark(ask, schema, { state: 'moved', place }))
    },
    release: async () => {
      const mark = await readMark(ask, schema).catch(() => undefined)
      if (mark === undefined) await drop()
      await end()
    },
  }
}

/** One connection, held until it is given back. */
const lendSession = async ({ withPlain }: Connections): Promise<{ ask: Ask; release(): void }> => {
  let release = () => {}
  const whenReleased = new Promise<void>(resolve => {
    release = resolve
  })
  return new Promise((resolve, reject) => {
    withPlain(async ask => {
      resolve({ ask, release: () => release() })
      await whenReleased
    }).catch(reject)
  })
}

/** A schema that is to hold a store, marked as incomplete until `complete`. */
export type PostgresTarget = {
  fill(content: Content): Promise<void>
  /** Current content. */
  content(now: Date): Content
  complete(): Promise<void>
  release(): Promise<void>
}

const isEmpty = async (ask: Ask, schema: string): Promise<boolean> => {
  const { rows } = await ask<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM ${schema}.collections) OR EXISTS (SELECT FROM ${schema}.claims)
       OR EXISTS (SELECT FROM ${schema}.entries) AS found`,
  )
  return rows[0]?.found === false
}

/** Prepares a schema for the copy of `place`. Throws a StoreFailure where it holds a store already; an incomplete one is begun anew. */
export const preparePostgres = async (
  url: string,
  schema: string,
  place: string,
): Promise<PostgresTarget> => {
  const connections = await openPools(url, { size: 2 })
  const { askPlain: ask, withPlain } = connections
  const fillCollection = async (name: string, indexes: readonly Index[], content: Content) => {
    await withPlain(own => withTransaction(own, () => build(own, schema, name, [])))
    const { rows } = await ask<Stored>(`SELECT relation FROM ${schema}.collections WHERE name = $1`, [name])
    const table = `${schema}.${rows[0]?.relation}`
    for await (const page of content.rows(name))
      await ask(
        `INSERT INTO ${table} (collection, id, doc)
           SELECT ${literal(name)}, id, doc FROM unnest($1::text[], $2::jsonb[]) AS n (id, doc)`,
        [page.map(({ id }) => id), page.map(({ text }) => text)],
      )
    // Over all rows at once, which also takes the words of each.
    if (indexes.length > 0)
      await withPlain(own => withTransaction(own, () => build(own, schema, name, indexes)))
  }
  try {
    if ((await readMark(ask, schema))?.state === 'incomplete') await ask(`DROP SCHEMA ${schema} CASCADE`)
    await migrate(connections, schema)
    if (!(await isEmpty(ask, schema)))
      throw new StoreFailure(
        `the schema "${schema}" holds a store already: give an empty database, or drop the schema`,
      )
    await withPlain(own =>
      withTransaction(own, () => writeSchemaMark(own, schema, { state: 'incomplete', place })),
    )
  } catch (error) {
    await connections.end()
    throw error
  }
  return {
    async fill(content) {
      for await (const { name, indexes } of content.collections())
        await fillCollection(name, indexes, content)
      for await (const page of content.claims())
        await ask(
          `INSERT INTO ${schema}.claims SELECT key, to_timestamp(until / 1000)
             FROM unnest($1::text[], $2::float8[]) AS n (key, until)`,
          [page.map(({ key }) => key), page.map(({ until }) => until)],
        )
      for await (const page of content.entries())
        await ask(
          `INSERT INTO ${schema}.entries SELECT * FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::jsonb[])`,
          [
            page.map(({ topic }) => topic),
            page.map(({ at }) => at),
            page.map(({ time }) => time),
            page.map(({ text }) => text),
          ],
        )
      await ask(`INSERT INTO ${schema}.topics SELECT topic, max(at) FROM ${schema}.entries GROUP BY topic`)
    },
    content: now => openContent(ask, schema, now),
    complete: async () => {
      await ask(`ANALYZE`)
      await withPlain(own =>
        withTransaction(own, async () => {
          await own('SET LOCAL synchronous_commit = on')
          await writeSchemaMark(own, schema, undefined)
        }),
      )
    },
    release: () => connections.end(),
  }
}
