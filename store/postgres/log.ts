import { createHash } from 'node:crypto'
import type { Entry } from '../index.ts'
import type { Ask } from './connections.ts'

export type Append = { topic: string; payload: string }

const lockNumber = (schema: string, topic: string): bigint =>
  createHash('sha256').update(`octagent:${schema}:topic:${topic}`).digest().readBigInt64BE()

/**
 * Writes the entries of a transaction as the last thing before its COMMIT. Each topic is locked until the commit is
 * visible, so numbers rise in commit order. The counters are moved outside the transaction (`askPlain`), where one that
 * began earlier sees the newest value and two that add to one topic do not conflict; a roll-back leaves a gap.
 */
export const writeEntries = async (
  ask: Ask,
  askPlain: Ask,
  schema: string,
  appends: readonly Append[],
): Promise<void> => {
  const counts = new Map<string, number>()
  for (const { topic } of appends) counts.set(topic, (counts.get(topic) ?? 0) + 1)
  const topics = [...counts.keys()]
  const locks = [...new Set(topics.map(topic => lockNumber(schema, topic)))].sort((a, b) => (a < b ? -1 : 1))
  // Waiting here is worth it: it is short, nothing can deadlock on the sorted locks, and no conflict follows from it.
  await ask(
    `SELECT pg_advisory_xact_lock(number)
       FROM set_config('lock_timeout', '30s', true), unnest($1::bigint[]) AS number`,
    [locks.map(String)],
  )

  const { rows } = await askPlain<{ topic: string; last: string }>(
    `INSERT INTO ${schema}.topics AS t SELECT * FROM unnest($1::text[], $2::bigint[])
       ON CONFLICT (topic) DO UPDATE SET last = t.last + excluded.last RETURNING topic, last`,
    [topics, [...counts.values()]],
  )
  const next = new Map(rows.map(({ topic, last }) => [topic, Number(last) - (counts.get(topic) ?? 0)]))
  const numbers = appends.map(({ topic }) => {
    const number = (next.get(topic) ?? 0) + 1
    next.set(topic, number)
    return number
  })
  await ask(
    `WITH written AS (
       INSERT INTO ${schema}.entries SELECT topic, at, clock_timestamp(), payload
         FROM unnest($1::text[], $2::bigint[], $3::jsonb[]) AS e (topic, at, payload) RETURNING topic, at)
     SELECT pg_notify('${schema}', json_build_array(topic, max(at))::text) FROM written GROUP BY topic`,
    [appends.map(({ topic }) => topic), numbers, appends.map(({ payload }) => payload)],
  )
}

/** The entries of a topic after a number, in order. */
export const readEntries = async (
  ask: Ask,
  schema: string,
  topic: string,
  after: number,
  limit: number,
): Promise<Entry[]> => {
  const { rows } = await ask<{ at: string; time: Date; payload: Entry['payload'] }>(
    `SELECT at, time, payload FROM ${schema}.entries WHERE topic = $1 AND at > $2 ORDER BY at LIMIT $3`,
    [topic, after, limit],
  )
  return rows.map(({ at, time, payload }) => ({ topic, at: Number(at), time: time.toISOString(), payload }))
}

/** The number of the last committed entry. The counter will not do: it is ahead of what is not committed yet. */
export const lastEntry = async (ask: Ask, schema: string, topic: string): Promise<number> => {
  const { rows } = await ask<{ at: string }>(
    `SELECT coalesce(max(at), 0) AS at FROM ${schema}.entries WHERE topic = $1`,
    [topic],
  )
  return Number(rows[0]?.at)
}
