import type { Pool, PoolConfig } from 'pg'
import { type Availability, StoreFailure } from '../index.ts'
import { errorCode, movingCode, toStoreError } from './failure.ts'
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
  /** Lends a connection on which a SERIALIZABLE transaction has begun, until it is given back; one that is `broken` is not used again. */
  begin(): Promise<Lent>
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
      const isThere = errorCode((cause as Error).cause) === movingCode
      if (isAway || isThere || !(cause instanceof StoreFailure) || !cause.away) return
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

const toConfig = (address: URL): PoolConfig => ({
  connectionString: address.href,
  application_name: 'octagent',
  connectionTimeoutMillis: 15_000,
  keepAlive: true,
})

/** Settings go into the start-up packet, so that no pooler in between can drop them without a word. */
const withSettings = (url: string, settings: Record<string, string>): PoolConfig => {
  const address = new URL(url)
  const urlOptions = address.searchParams.get('options')
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  address.searchParams.set('options', [...(urlOptions ? [urlOptions] : []), ...ours].join(' '))
  return toConfig(address)
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

/** READ COMMITTED connections, and lanes that one process may hold or wait for at once. */
const sizes = { plain: 5, locks: 4 }
/** The same past a pooler, where connections are what there is too little of. */
const sizesBesidePooler = { plain: 3, locks: 2 }

const serialSettings = {
  // A sequential scan of a small table locks all of it against everybody's writes.
  enable_seqscan: 'off',
  idle_in_transaction_session_timeout: '60000',
  // Who waits for a row and then finds it changed must begin again anyway; and deadlocks end sooner than in the
  // second that the server waits before it looks for one.
  lock_timeout: '100',
}

/** Begins a transaction where the connection is another's in the next one: all settings are of the transaction. */
const pooledBegin = [
  'BEGIN ISOLATION LEVEL SERIALIZABLE',
  ...Object.entries(serialSettings).map(([name, value]) => `SET LOCAL ${name} = ${value}`),
].join('; ')

/** Begins on a connection that was just lent. */
const beginOn =
  (lend: () => Promise<Lent>, sql: string): Connections['begin'] =>
  async () => {
    const lent = await lend()
    await lent.ask(sql).catch(error => {
      lent.release(true)
      throw error
    })
    return lent
  }

/** One statement in a transaction that is begun and ended for it. */
const askBetween =
  (begin: Connections['begin']): Ask =>
  async (sql, values) => {
    const { ask, release } = await begin()
    let isOver = false
    try {
      const answer = await ask<never>(sql, values)
      const { tag } = await ask('COMMIT')
      if (tag !== 'COMMIT') throw new StoreFailure(`PostgreSQL: COMMIT ended in ${tag}`)
      isOver = true
      return answer
    } finally {
      const isBroken = !isOver && (await ask('ROLLBACK').then(isNever, isAlways))
      release(isBroken)
    }
  }

const isNever = () => false
const isAlways = () => true

export type PoolOptions = {
  /** Transactions at the same time. */
  size: number
  /**
   * The address past a pooler that lends its connections by the transaction (PgBouncer: `pool_mode=transaction`). Transactions run at
   * `url` then, without named statements and settings that outlive them. All else goes here: what listens, the locks of turns, and what
   * transactions wait for, which at the pooler would wait for a connection that such a transaction has.
   */
  direct?: string | undefined
  onAvailability?: ((change: Availability) => void) | undefined
}

/** Opens three pools of connections: SERIALIZABLE ones for transactions, a few READ COMMITTED ones, and a few for locks. */
export const openPools = async (
  url: string,
  { size, direct, onAvailability = () => undefined }: PoolOptions,
): Promise<Connections> => {
  const presence = trackPresence(onAvailability)
  const { default: pg } = await import('pg')
  const isPooled = direct !== undefined
  const directNames = openStatementNames()
  const nameStatement = isPooled ? () => undefined : directNames
  const open = (config: PoolConfig, max: number): Pool => {
    const pool = new pg.Pool({ ...config, max })
    // An idle or lent connection that is lost says so with an event; unheard, it would end the process.
    pool.on('error', () => undefined)
    pool.on('connect', client => client.on('error', () => undefined))
    return pool
  }
  const { plain: maxPlain, locks: maxLocks } = isPooled ? sizesBesidePooler : sizes
  const config = withSettings(direct ?? url, {
    synchronous_commit: 'off',
    default_transaction_isolation: 'read committed',
  })
  const serial = open(
    isPooled
      ? toConfig(new URL(url))
      : withSettings(url, { default_transaction_isolation: 'serializable', ...serialSettings }),
    size,
  )
  const plain = open(config, maxPlain)
  const locks = open(withSettings(direct ?? url, { lock_timeout: '30000' }), maxLocks)
  const begin = beginOn(lendFrom(serial, presence, nameStatement), isPooled ? pooledBegin : 'BEGIN')
  return {
    ask: isPooled ? askBetween(begin) : askOn(serial, presence, nameStatement),
    askPlain: askOn(plain, presence, directNames),
    begin,
    withPlain: withLent(lendFrom(plain, presence, directNames)),
    withLock: withLent(lendFrom(locks, presence, directNames)),
    config,
    end: async () => void (await Promise.all([serial.end(), plain.end(), locks.end()])),
  }
}
