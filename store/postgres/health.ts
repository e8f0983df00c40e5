import { type Store, StoreFailure } from '../index.ts'
import type { Ask } from './connections.ts'
import { errorCode } from './failure.ts'

const patienceMs = 2_000

/** Anybody may read the health, and what a driver says can name addresses and users, so only its code is told. */
const describeFailure = (error: unknown): string => {
  if (!(error instanceof StoreFailure))
    return error instanceof Error ? error.message : 'PostgreSQL does not answer'
  return `PostgreSQL does not answer (${errorCode(error.cause) || 'no code'})`
}

/** Asks the database whether it takes writes, for at most two seconds. */
export const checkHealth = async (ask: Ask, closed: () => boolean): ReturnType<Store['health']> => {
  const engine = 'postgres'
  if (closed()) return { ok: false, engine, detail: 'the store is closed' }
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('PostgreSQL does not answer within 2 seconds')), patienceMs)
  })
  const sql = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "readOnly"`
  try {
    const { rows } = await Promise.race([ask<{ readOnly: boolean }>(sql), silence])
    return rows[0]?.readOnly ? { ok: false, engine, detail: 'PostgreSQL is read-only' } : { ok: true, engine }
  } catch (error) {
    return { ok: false, engine, detail: describeFailure(error) }
  } finally {
    clearTimeout(timer)
  }
}
