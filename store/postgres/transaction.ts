import { type Json, StoreFailure, type Tx } from '../index.ts'
import { jsonText, nameText } from '../row.ts'
import type { Catalog } from './catalog.ts'
import { claimKey } from './claim.ts'
import { collectionOver, type Steps } from './collection.ts'
import type { Ask, Connections } from './connections.ts'
import { Conflict } from './failure.ts'
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

const openTx = (ask: Ask, { catalog, schema }: Transactor): OpenTx => {
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
        if (error instanceof Conflict || error instanceof StoreFailure) failed = error
        throw error
      }
    })
  const open = <R>(work: () => Promise<R>): Promise<R> =>
    ended ? Promise.reject(new Error('this transaction is over; await all it does inside of it')) : step(work)

  const tx: Tx = {
    collection: (name, indexes) => {
      catalog.declare(name, indexes)
      const steps: Steps['many'] = work => open(async () => work(ask, await catalog.relation(name)))
      return collectionOver({ inside: true, one: steps, many: steps })
    },
    claim: async (key, until) => {
      nameText('the key of a claim', key)
      return open(() => claimKey(ask, schema, key, until))
    },
    append: async (topic: string, payload: Json) => {
      const entry = {
        topic: nameText('a topic', topic),
        payload: jsonText(`an entry of "${topic}"`, payload),
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

/** One attempt at a SERIALIZABLE transaction. Throws what `work` throws, `Conflict` when it must run again. */
export const attempt = <R>(transactor: Transactor, work: (tx: Tx, ask: Ask) => Promise<R>): Promise<R> =>
  transactor.connections.withSerial(async ask => {
    await ask('BEGIN')
    const { tx, over } = openTx(ask, transactor)
    let committing = false
    try {
      const outcome = await work(tx, ask).then(
        result => ({ result }),
        (cause: unknown) => ({ thrown: cause }),
      )
      const { failed, appends } = await over()
      if (failed) throw failed
      if ('thrown' in outcome) throw outcome.thrown
      if (appends.length > 0) {
        await transactor.listening()
        await writeEntries(ask, transactor.connections.askPlain, transactor.schema, appends)
      }
      committing = true
      const { tag } = await ask('COMMIT')
      if (tag !== 'COMMIT') throw new StoreFailure(`PostgreSQL: COMMIT ended in ${tag}`)
      return outcome.result
    } catch (error) {
      if (committing && error instanceof StoreFailure)
        throw new StoreFailure(`${error.message} (during COMMIT: it may or may not be written)`, {
          cause: error,
          away: {
            detail: 'The store went away during the commit: it may or may not be written.',
            retryAfter: 5,
          },
        })
      await ask('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
