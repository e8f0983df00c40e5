import type { Pool, PoolConfig } from 'pg'
import { type Availability, StoreFailure } from '../index.ts'
import { toStoreError } from './failure.ts'
import { openStatementNames } from './statement-names.ts'

/** Runs one statement; what the database throws arrives as `Conflict` or `StoreFailure`. */
export type Ask = <R extends object>(
  sql: string,
  values?: unknown[],
) => Promise<{ rows: R[]; count: number; tag: string }>

export type Lent = { ask: Ask; release(broken: boolean): void }

export type Connections = {
  /** One statement in a SERIALIZABLE transaction of its own. */
  ask: Ask
  /** One statement in READ COMMITTED, for reads and counters that stand outside of all transactions. */
  askPlain: Ask
  /** Lends a SERIALIZABLE connection, until it is given back; one that is `broken` is not used again. */
  lendSerial(): Promise<Lent>
  /** Lends a READ COMMITTED connection. One on which `work` met a lost connection is not used again. */
  withPlain<R>(work: (ask: Ask) => Promise<R>): Promise<R>
  /** Lends a connection for locks that outlive transactions. Nothing else may wait for one of these. */
  withLock<R>(work: (ask: Ask) => Promise<R>): Promise<R>
  /** The configuration of a connection that belongs to nobody else. */
  config: PoolConfig
  end(): Promise<void>
}

type Queryable = {
  query(statement: {
    text: string
    values: unknown[]
    name?: string
  }): Promise<{ rows: object[]; rowCount: number | null; command: string }>
}

/** Hears of each failure and each answer, and tells once when the database goes away and once when it is back. */
type Presence = { onLoss(cause: unknown): void; answered(): void }

const trackPresence = (onAvailability: (change: Availability) => void): Presence => {
  let isAway = false
  return {
    onLoss: cause => {
      if (isAway || !(cause instanceof StoreFailure) || !cause.away) return
      isAway = true
      onAvailability({ available: false, detail: cause.message })
    },
    answered: () => {
      if (!isAway) return
      isAway = false
      onAvailability({ available: true, detail: 'PostgreSQL answers again.' })
    },
  }
}

type NameStatement = (sql: string) => string | undefined

/** Statements without values end transactions and the like; which plan suits words depends on the words. */
const isPlanned = (sql: string, values: readonly unknown[]): boolean =>
  values.length > 0 && !sql.includes('words @> ')

/** The statements of a client or a pool, one at a time, with the errors of the store. */
const askOn =
  (queryable: Queryable, presence: Presence, nameStatement: NameStatement): Ask =>
  async <R extends object>(sql: string, values: unknown[] = []) => {
    try {
      const name = isPlanned(sql, values) ? nameStatement(sql) : undefined
      const { rows, rowCount, command } = await queryable.query({ text: sql, values, ...(name && { name }) })
      presence.answered()
      return { rows: rows as R[], count: rowCount ?? 0, tag: command }
    } catch (error) {
      const failure = toStoreError(error)
      presence.onLoss(failure)
      throw failure
    }
  }

/** Settings go into the start-up packet, so that no pooler in between can drop them without a word. */
const withSettings = (url: string, settings: Record<string, string>): PoolConfig => {
  const address = new URL(url)
  const urlOptions = address.searchParams.get('options')
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  address.searchParams.set('options', [...(urlOptions ? [urlOptions] : []), ...ours].join(' '))
  return {
    connectionString: address.href,
    application_name: 'octagent',
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
  }
}

const lendFrom =
  (pool: Pool, presence: Presence, nameStatement: NameStatement) => async (): Promise<Lent> => {
    const client = await pool.connect().catch(error => {
      const failure = toStoreError(error)
      presence.onLoss(failure)
      throw failure
    })
    return { ask: askOn(client, presence, nameStatement), release: broken => client.release(broken) }
  }

const withLent =
  (lend: () => Promise<Lent>) =>
  async <R>(work: (ask: Ask) => Promise<R>): Promise<R> => {
    const { ask, release } = await lend()
    let broken = false
    try {
      return await work(ask)
    } catch (error) {
      broken = error instanceof StoreFailure
      throw error
    } finally {
      release(broken)
    }
  }

/** Lanes that one process may hold or wait for at once. */
const maxLocks = 4

/** Opens three pools of connections: `size` SERIALIZABLE ones for transactions, a few READ COMMITTED ones, and a few for locks. */
export const connect = async (
  url: string,
  size: number,
  onAvailability: (change: Availability) => void = () => undefined,
): Promise<Connections> => {
  const presence = trackPresence(onAvailability)
  const { default: pg } = await import('pg')
  const nameStatement = openStatementNames()
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
  const locks = open(withSettings(url, { lock_timeout: '30000' }), maxLocks)
  return {
    ask: askOn(serial, presence, nameStatement),
    askPlain: askOn(plain, presence, nameStatement),
    lendSerial: lendFrom(serial, presence, nameStatement),
    withPlain: withLent(lendFrom(plain, presence, nameStatement)),
    withLock: withLent(lendFrom(locks, presence, nameStatement)),
    config,
    end: async () => void (await Promise.all([serial.end(), plain.end(), locks.end()])),
  }
}
