import { StoreFailure } from '../index.ts'
import type { Connections } from './connections.ts'
import { requireWholeSchema } from './marks.ts'

/** A fixed number for each lock, the same on every replica, apart per schema. */
export const lockKey = (schema: string, what: string) => `hashtextextended('octagent:${schema}:${what}', 0)`

/**
 * `sort_key` turns a JSON scalar into a text whose bytes sort in the documented order: null and what is missing,
 * false, true, numbers, strings. The bits of an IEEE double sort like the number; those of a negative one in reverse.
 */
const first = (schema: string): string => `
  CREATE TABLE ${schema}.collections (name text PRIMARY KEY, relation text NOT NULL UNIQUE, indexes jsonb NOT NULL);
  CREATE TABLE ${schema}.documents (
    collection text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    doc jsonb NOT NULL,
    words text[] COLLATE "C",
    PRIMARY KEY (collection, id)
  ) PARTITION BY LIST (collection);
  CREATE TABLE ${schema}.claims (key text COLLATE "C" PRIMARY KEY, until timestamptz NOT NULL);
  CREATE INDEX claims_until ON ${schema}.claims (until);
  CREATE TABLE ${schema}.topics (topic text COLLATE "C" PRIMARY KEY, last bigint NOT NULL);
  CREATE TABLE ${schema}.entries (
    topic text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    time timestamptz NOT NULL,
    payload jsonb NOT NULL,
    PRIMARY KEY (topic, at)
  );
  CREATE FUNCTION ${schema}.sort_key(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
      WHEN 'string' THEN '4' || (v #>> '{}')
      WHEN 'number' THEN CASE
        WHEN v::float8 < 0
          THEN '3a' || translate(encode(float8send(v::float8), 'hex'), '0123456789abcdef', 'fedcba9876543210')
        ELSE '3b' || encode(float8send(v::float8), 'hex') END
      WHEN 'boolean' THEN CASE WHEN v::boolean THEN '2' ELSE '1' END
      ELSE '0' END
  $$;`

/** Step n brings the schema from version n to n + 1. Steps are added, never changed. */
const steps = [first]

/** The version of the schema that this program knows. */
export const schemaVersion = steps.length

/**
 * Brings the schema of the database to the version this program knows; any number of replicas may do so at once.
 * Throws StoreFailure when the database does not keep text in UTF-8 or was written by a newer version.
 */
export const migrate = ({ withPlain }: Connections, schema: string): Promise<void> =>
  withPlain(async ask => {
    const { rows: servers } = await ask<{ encoding: string }>(
      `SELECT current_setting('server_encoding') AS encoding`,
    )
    const encoding = servers[0]?.encoding
    if (encoding !== 'UTF8') throw new StoreFailure(`the database must keep text in UTF8, not in ${encoding}`)
    await ask('BEGIN')
    try {
      await ask('SET LOCAL synchronous_commit = on')
      await ask(`SELECT pg_advisory_xact_lock(${lockKey(schema, 'schema')})`)
      await ask(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
      await ask(`CREATE TABLE IF NOT EXISTS ${schema}.version (version integer NOT NULL)`)
      const { rows } = await ask<{ version: number }>(`SELECT version FROM ${schema}.version`)
      const version = rows[0]?.version ?? 0
      await requireWholeSchema(ask, schema)
      if (version > steps.length)
        throw new StoreFailure(
          `the database has schema version ${version}; this program knows ${steps.length}`,
        )
      for (const step of steps.slice(version)) await ask(step(schema))
      if (rows.length === 0) await ask(`INSERT INTO ${schema}.version VALUES ($1)`, [steps.length])
      else if (version < steps.length) await ask(`UPDATE ${schema}.version SET version = $1`, [steps.length])
      await ask('COMMIT')
    } catch (error) {
      await ask('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
