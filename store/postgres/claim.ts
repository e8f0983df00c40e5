import type { Ask } from './connections.ts'

/** True when the key was free or its time is over, by the clock of the database, which all replicas share. */
export const claimStoreKey = async (ask: Ask, schema: string, key: string, until: Date): Promise<boolean> => {
  const { count } = await ask(
    `INSERT INTO ${schema}.claims AS c VALUES ($1, to_timestamp($2::float8 / 1000))
       ON CONFLICT (key) DO UPDATE SET until = excluded.until WHERE c.until <= clock_timestamp()`,
    [key, until.getTime()],
  )
  return count === 1
}

/** Removes claims whose time was over a minute ago, at most a thousand; one that is being claimed again is left alone. */
export const sweepClaims = async (ask: Ask, schema: string): Promise<void> => {
  await ask(
    `DELETE FROM ${schema}.claims WHERE key IN (
       SELECT key FROM ${schema}.claims WHERE until < clock_timestamp() - interval '1 minute'
         ORDER BY until LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
  )
}
