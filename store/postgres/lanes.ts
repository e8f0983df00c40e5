import { createHash } from 'node:crypto'
import { StoreFailure } from '../index.ts'
import type { Connections } from './connections.ts'
import type { HotKeys } from './hot-keys.ts'

/** Work waiting its turn. */
export type LaneTurn = {
  alone(): Promise<unknown>
  resolve(value: unknown): void
  reject(cause: unknown): void
}

/** Turns that share one commit. */
const maxTogether = 16
/** Turns after which the other replicas get theirs. */
const maxPassed = 64

const toNumber = (schema: string, key: string): string =>
  createHash('sha256').update(`octagent:${schema}:lane:${key}`).digest().readBigInt64BE().toString()

const settle = async (turn: LaneTurn): Promise<void> => {
  try {
    turn.resolve(await turn.alone())
  } catch (cause) {
    turn.reject(cause)
  }
}

/**
 * One lane per row, for all replicas together: who writes a row that many write takes turns there, before a transaction begins,
 * instead of undoing the others. The lock of a lane is held on a connection apart, so that a snapshot is never older than the turn.
 * `together` runs several turns in one transaction.
 */
export const openLanes = <T extends LaneTurn>(
  { withLock }: Pick<Connections, 'withLock'>,
  schema: string,
  hot: HotKeys,
  together: (turns: readonly T[]) => Promise<unknown[]>,
) => {
  const queues = new Map<string, T[]>()

  /** Runs `work` while no other replica is in these lanes, and tells it whether one had to be waited for. */
  const holding = async <R>(keys: readonly string[], work: (waited: boolean) => Promise<R>): Promise<R> =>
    withLock(async ask => {
      // Sorted, so that two that need the same lanes never wait for each other.
      const numbers = [...new Set(keys.map(key => toNumber(schema, key)))].sort()
      const { rows } = await ask<{ isLocked: boolean }>(
        'SELECT bool_and(pg_try_advisory_lock(number)) AS "isLocked" FROM unnest($1::bigint[]) AS number',
        [numbers.slice(0, 1)],
      )
      const waited = rows[0]?.isLocked !== true
      const rest = waited ? numbers : numbers.slice(1)
      if (rest.length > 0)
        await ask('SELECT pg_advisory_lock(number) FROM unnest($1::bigint[]) AS number', [rest])
      try {
        return await work(waited)
      } finally {
        // A connection that is lost lets go of its locks by itself; what `work` has done is done.
        await ask('SELECT pg_advisory_unlock(number) FROM unnest($1::bigint[]) AS number', [numbers]).catch(
          () => undefined,
        )
      }
    })

  /** Many in one transaction; where that does not work, one by one, so that each meets its own failure only. */
  const take = async (turns: readonly T[]): Promise<void> => {
    const [first] = turns
    if (first && turns.length === 1) return settle(first)
    try {
      const results = await together(turns)
      for (const [at, turn] of turns.entries()) turn.resolve(results[at])
    } catch (cause) {
      // What the database may have written after all must not be done again.
      if (cause instanceof StoreFailure) for (const { reject } of turns) reject(cause)
      else for (const turn of turns) await settle(turn)
    }
  }

  const drain = async (key: string, queue: T[]): Promise<void> => {
    while (queue.length > 0) {
      try {
        await holding([key], async waited => {
          if (waited || queue.length > 1) hot.keepHot(key)
          for (let passed = 0; queue.length > 0 && passed < maxPassed; ) {
            const turns = queue.splice(0, maxTogether)
            passed += turns.length
            await take(turns)
          }
        })
      } catch (cause) {
        for (const { reject } of queue.splice(0)) reject(cause)
      }
    }
    queues.delete(key)
  }

  return {
    /** Lets a turn pass through one lane, in the order in which they came to this process. */
    pass(key: string, turn: T): void {
      const queue = queues.get(key)
      if (queue) {
        queue.push(turn)
        return
      }
      const fresh = [turn]
      queues.set(key, fresh)
      void drain(key, fresh)
    },
    /** Runs what needs several lanes at once. */
    through: <R>(keys: readonly string[], work: () => Promise<R>): Promise<R> => holding(keys, work),
  }
}
