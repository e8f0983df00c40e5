import { checkArchive } from '../declaration.ts'
import { type Availability, type Store, StoreFailure } from '../index.ts'
import { nameText } from '../row.ts'
import { openCatalog } from './catalog.ts'
import { claimStoreKey, sweepClaims } from './claim.ts'
import { collectionOver } from './collection.ts'
import { type Ask, openPools } from './connections.ts'
import { Conflict, isMissingRelation } from './failure.ts'
import { openFeed } from './feed.ts'
import { checkHealth } from './health.ts'
import { readEntries } from './log.ts'
import { retry } from './retry.ts'
import { migrate } from './schema.ts'
import { openTransact, type Transact } from './transact.ts'
import { rowLane, type Transactor } from './transaction.ts'

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database`. A pooler in between must keep sessions, unless `direct` is given. */
  url: string
  /** The same database past a pooler that lends connections by the transaction: all but transactions goes there. */
  direct?: string | undefined
  /** The schema that holds everything, `octagent` unless told: lower-case letters, digits and `_`. */
  schema?: string
  /** How many transactions may run at the same time in this process, 10 unless told. */
  connections?: number
  /** Hears what subscribers throw. */
  report?: (problem: unknown) => void
  /** Hears when the database goes away, and when it is back. */
  onAvailability?: (change: Availability) => void
}

const sweepMs = 60_000

/**
 * Opens the store in a PostgreSQL database (13 or newer, UTF8), creating or upgrading its schema. Any number of
 * processes may do so. StoreFailure when the database cannot be reached or used.
 */
export const openPostgres = async ({
  url,
  direct,
  schema = 'octagent',
  connections: size = 10,
  report = () => undefined,
  onAvailability,
}: PostgresOptions): Promise<Store> => {
  if (!/^[a-z_][a-z0-9_]{0,30}$/.test(schema))
    throw new Error(
      `schema "${schema}": must be lower-case letters, digits and "_", at most 31, no digit first`,
    )
  if (!URL.canParse(url))
    throw new Error('the address of the database is not a URL like postgres://user@host/name')
  if (direct !== undefined && !URL.canParse(direct))
    throw new Error('the direct address of the database is not a URL like postgres://user@host/name')
  const connections = await openPools(url, { size, direct, onAvailability })
  await migrate(connections, schema).catch(async error => {
    await connections.end()
    throw error instanceof StoreFailure
      ? error
      : new StoreFailure(`PostgreSQL: ${error.message}`, { cause: error })
  })
  const catalog = openCatalog(connections, schema)
  const feed = openFeed(connections, schema, report)
  const transactor: Transactor = { catalog, connections, schema, listening: feed.listening }
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const tracked = <R>(work: () => Promise<R>): Promise<R> => {
    if (closing) return Promise.reject(new StoreFailure('the store is closed'))
    const running = work()
    underWay.add(running)
    const onDone = () => underWay.delete(running)
    running.then(onDone, onDone)
    return running
  }
  const onConflict = ({ cause }: Conflict) => {
    if (isMissingRelation(cause)) catalog.forget()
  }
  const run = <R>(work: () => Promise<R>): Promise<R> => tracked(() => retry(work, onConflict))
  const transactUntilDone = openTransact(transactor, onConflict)
  const transact: Transact = work => tracked(() => transactUntilDone(work))
  /** A single statement; once it meets a conflict, it takes turns like a transaction. */
  const write = <R>(key: string, work: (ask: Ask) => Promise<R>): Promise<R> =>
    tracked(() =>
      work(connections.ask).catch(error => {
        if (!(error instanceof Conflict)) throw error
        onConflict(error)
        return transactUntilDone((_, ask, touch) => {
          touch(key, 'write')
          return work(ask)
        })
      }),
    )

  const sweeping = setInterval(
    () => void sweepClaims(connections.askPlain, schema).catch(() => undefined),
    sweepMs,
  )
  sweeping.unref()

  const close = async () => {
    clearInterval(sweeping)
    await Promise.allSettled(underWay)
    await feed.close()
    await connections.end()
  }

  return {
    collection: (name, indexes, archive) => {
      checkArchive(name, archive, undefined)
      catalog.declare(name, indexes)
      return collectionOver({
        inside: false,
        search: work => run(async () => work(connections.ask, await catalog.relation(name))),
        read: (_, work) => run(async () => work(connections.ask, await catalog.relation(name))),
        write: (id, work) => write(rowLane(name, id), async ask => work(ask, await catalog.relation(name))),
        steps: (id, work) =>
          transact(async (_, ask, touch) => {
            touch(rowLane(name, id), 'write')
            return work(ask, await catalog.relation(name))
          }),
        apart: work => run(async () => work(connections.askPlain, await catalog.relation(name))),
      })
    },
    claim: async (key, until) => {
      nameText('the key of a claim', key)
      return write(`claim ${key}`, ask => claimStoreKey(ask, schema, key, until))
    },
    append: async (topic, payload) => transact(tx => tx.append(topic, payload)),
    transaction: work => transact(async tx => work(tx)),
    read: async (topic, after, limit) => {
      nameText('a topic', topic)
      return tracked(() => readEntries(connections.askPlain, schema, topic, after, limit))
    },
    subscribe: (topic, onEntry) => feed.subscribe(nameText('a topic', topic), onEntry),
    health: () => checkHealth(connections.askPlain, () => closing !== undefined),
    use: () => undefined,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
