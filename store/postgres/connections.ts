import type { Pool, PoolConfig } from 'pg'
import { StoreFailure } from '../index.ts'
import { toStoreError } from './failure.ts'

/** Runs one statement; what the database throws arrives as `Conflict` or `StoreFailure`. */
export type Ask = <R extends object>(
  sql: string,
  values?: unknown[],
) => Promise<{ rows: R[]; count: number; tag: string }>

export type Connections = {
  /** One statement in a SERIALIZABLE transaction of its own. */
  ask: Ask
  /** One statement in READ COMMITTED, for reads and counters that stand outside of all transactions. */
  askPlain: Ask
  /** Lends a SERIALIZABLE connection. A connection on which `work` met a lost connection is not used again. */
  withSerial<R>(work: (ask: Ask) => Promise<R>): Promise<R>
  withPlain<R>(work: (ask: Ask) => Promise<R>): Promise<R>
  /** The configuration of a connection that belongs to nobody else. */
  config: PoolConfig
  end(): Promise<void>
}

type Queryable = {
  query(
    sql: string,
    values?: unknown[],
  ): Promise<{ rows: object[]; rowCount: number | null; command: string }>
}

/** The statements of a client or a pool, one at a time, with the errors of the store. */
export const askOn =
  (queryable: Queryable): Ask =>
  async <R extends object>(sql: string, values: unknown[] = []) => {
    try {
      const { rows, rowCount, command } = await queryable.query(sql, values)
      return { rows: rows as R[], count: rowCount ?? 0, tag: command }
    } catch (error) {
      throw toStoreError(error)
    }
  }

/** Settings go into the start-up packet, so that no pooler in between can drop them without a word. */
const withSettings = (url: string, settings: Record<string, string>): PoolConfig => {
  const address = new URL(url)
  const given = address.searchParams.get('options')
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  address.searchParams.set('options', [...(given ? [given] : []), ...ours].join(' '))
  return {
    connectionString: address.href,
    application_name: 'octagent',
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
  }
}

const lendFrom =
  (pool: Pool) =>
  async <R>(work: (ask: Ask) => Promise<R>): Promise<R> => {
    const client = await pool.connect().catch(error => {
      throw toStoreError(error)
    })
    let broken = false
    try {
      return await work(askOn(client))
    } catch (error) {
      broken = error instanceof StoreFailure
      throw error
    } finally {
      client.release(broken)
    }
  }

/** Opens two pools of connections: `size` SERIALIZABLE ones for transactions, and a few READ COMMITTED ones. */
export const connect = async (url: string, size: number): Promise<Connections> => {
  const { default: pg } = await import('pg')
  const open = (config: PoolConfig, max: number): Pool => {
    const pool = new pg.Pool({ ...config, max })
    // An idle or lent connection that is lost says so with an event; unheard, it would end the process.
    pool.on('error', () => undefined)
    pool.on('connect', client => client.on('error', () => undefined))
    return pool
  }
  const config = withSettings(url, {
    synchronous_commit: 'off',
    default_transaction_isolation: 'read\\ committed',
  })
  const serial = open(
    withSettings(url, {
      default_transaction_isolation: 'serializable',
      // A sequential scan of a small table locks all of it against everybody's writes.
      enable_seqscan: 'off',
      idle_in_transaction_session_timeout: '60000',
      // Who waits for a row and then finds it changed must begin again anyway; and deadlocks end sooner than in the
      // second that the server waits before it looks for one.
      lock_timeout: '100',
    }),
    size,
  )
  const plain = open(config, 5)
  return {
    ask: askOn(serial),
    askPlain: askOn(plain),
    withSerial: lendFrom(serial),
    withPlain: lendFrom(plain),
    config,
    end: async () => void (await Promise.all([serial.end(), plain.end()])),
  }
}
