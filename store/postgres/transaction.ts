import { checkArchive } from '../declaration.ts'
import { type Json, StoreFailure, type Tx } from '../index.ts'
import { nameText, toJsonText } from '../row.ts'
import type { Catalog } from './catalog.ts'
import { claimStoreKey } from './claim.ts'
import { collectionOver, type Steps } from './collection.ts'
import type { Ask, Connections, Lent } from './connections.ts'
import { Conflict, Diverted } from './failure.ts'
import { type Append, writeEntries } from './log.ts'
import { queue } from './retry.ts'

export type Transactor = {
  catalog: Catalog
  connections: Connections
  schema: string
  /** Resolves when the entries that are about to be written will reach all who subscribed in this process before. */
  listening(): Promise<void>
}

type OpenTx = {
  tx: Tx
  /** Lets no more verbs in and waits for those under way. Then `failed` holds what the database refused, if anything. */
  over(): Promise<{ failed: Error | undefined; appends: Append[] }>
}

/** The row that a verb is about, as lanes name it. */
export const rowLane = (collection: string, id: string): string => `${collection} ${id}`

/** Hears of each row before a transaction touches it, and may throw to have it begin again elsewhere. */
export type Touch = (key: string, verb: 'read' | 'write') => void

const openTx = (
  ask: Ask,
  { catalog, connections, schema }: Transactor,
  touch: Touch,
  undos: (() => Promise<unknown>)[],
): OpenTx => {
  const oneAtATime = queue()
  const appends: Append[] = []
  let failed: Error | undefined
  let ended = false

  /** After a refusal the database takes nothing more, whether or not `work` caught it; the runner starts again. */
  const step = <R>(work: () => Promise<R>): Promise<R> =>
    oneAtATime(async () => {
      if (failed) throw failed
      try {
        return await work()
      } catch (error) {
        if (error instanceof Conflict || error instanceof StoreFailure || error instanceof Diverted)
          failed = error
        throw error
      }
    })
  const open = <R>(work: () => Promise<R>): Promise<R> =>
    ended ? Promise.reject(new Error('this transaction is over; await all it does inside of it')) : step(work)

  const tx: Tx = {
    collection: (name, indexes, archive) => {
      checkArchive(name, archive, undefined)
      catalog.declare(name, indexes)
      const touching =
        (verb: 'read' | 'write'): Steps['write'] =>
        (id, work) =>
          open(async () => {
            touch(rowLane(name, id), verb)
            return work(ask, await catalog.relation(name))
          })
      return collectionOver({
        inside: true,
        search: work => open(async () => work(ask, await catalog.relation(name))),
        read: touching('read'),
        write: touching('write'),
        steps: touching('write'),
        apart: (work, undo) =>
          open(async () => {
            const relation = await catalog.relation(name)
            const result = await work(connections.askPlain, relation)
            if (result !== undefined) undos.push(() => undo(connections.askPlain, relation))
            return result
          }),
      })
    },
    claim: async (key, until) => {
      nameText('the key of a claim', key)
      return open(() => claimStoreKey(ask, schema, key, until))
    },
    append: async (topic: string, payload: Json) => {
      const entry = {
        topic: nameText('a topic', topic),
        payload: toJsonText(`an entry of "${topic}"`, payload),
      }
      return open(async () => void appends.push(entry))
    },
  }
  const over = async () => {
    ended = true
    await oneAtATime(async () => undefined)
    return { failed, appends }
  }
  return { tx, over }
}

/** Task of one transaction; `ask` is for verbs that are several statements. */
export type Work<R> = { run(tx: Tx, ask: Ask, touch: Touch): Promise<R>; touch: Touch }

const outcomeOf = async <R>(
  { run, touch }: Work<R>,
  ask: Ask,
  transactor: Transactor,
  undos: (() => Promise<unknown>)[],
) => {
  const { tx, over } = openTx(ask, transactor, touch, undos)
  const outcome = await run(tx, ask, touch).then(
    result => ({ result }),
    (cause: unknown) => ({ thrown: cause }),
  )
  const { failed, appends } = await over()
  if (failed) throw failed
  if ('thrown' in outcome) throw outcome.thrown
  return { result: outcome.result, appends }
}

/** A transaction that begins with its first statement: what turns back before has taken no connection and no snapshot. */
const openSession = ({ begin }: Connections) => {
  let started: Promise<Lent> | undefined
  const ask: Ask = async (sql, values) => {
    started ??= begin()
    return (await started).ask(sql, values)
  }
  return {
    ask,
    async commit(): Promise<void> {
      if (!started) return
      const { ask, release } = await started
      const { tag } = await ask('COMMIT')
      if (tag !== 'COMMIT') throw new StoreFailure(`PostgreSQL: COMMIT ended in ${tag}`)
      release(false)
    },
    async rollBack(cause: unknown): Promise<void> {
      const lent = await started?.catch(() => undefined)
      if (!lent) return
      await lent.ask('ROLLBACK').catch(() => undefined)
      lent.release(cause instanceof StoreFailure)
    },
  }
}

/**
 * One attempt at a SERIALIZABLE transaction that does several things one after the other, all or nothing. Throws what one of them
 * throws, `Conflict` when it must run again.
 */
export const attemptAll = async <R>(transactor: Transactor, works: readonly Work<R>[]): Promise<R[]> => {
  const { connections, schema } = transactor
  const session = openSession(connections)
  const results: R[] = []
  const appends: Append[] = []
  const undos: (() => Promise<unknown>)[] = []
  const rollBack = async (cause: unknown): Promise<void> => {
    await session.rollBack(cause)
    // The last one first, since no number falls below 0. Where the database is away, too, it stays counted.
    for (const undo of undos.reverse()) await undo().catch(() => undefined)
  }
  try {
    for (const work of works) {
      const outcome = await outcomeOf(work, session.ask, transactor, undos)
      results.push(outcome.result)
      appends.push(...outcome.appends)
    }
    if (appends.length > 0) {
      await transactor.listening()
      await writeEntries(session.ask, connections.askPlain, schema, appends)
    }
  } catch (error) {
    await rollBack(error)
    throw error
  }
  try {
    await session.commit()
  } catch (error) {
    if (!(error instanceof StoreFailure)) {
      await rollBack(error)
      throw error
    }
    // It may be written: what was counted apart stays.
    await session.rollBack(error)
    throw new StoreFailure(`${error.message} (during COMMIT: it may or may not be written)`, {
      cause: error,
      away: {
        detail: 'The store went away during the commit: it may or may not be written.',
        retryAfter: 5,
      },
    })
  }
  return results
}

/** One attempt at one. */
export const attemptTransaction = async <R>(transactor: Transactor, work: Work<R>): Promise<R> =>
  (await attemptAll(transactor, [work]))[0] as R
