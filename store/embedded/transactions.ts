import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../index.ts'
import type { View } from './view.ts'

const optimisticTries = 4
const maxWaitMs = 5000

/** Access of one attempt to the store. `begin` opens a view; `end` forbids its further use. */
export type Attempts = {
  begin(): { tx: Tx; view: View; end: () => void }
  /** Applies what the view wrote; throws when the store has failed. */
  commit(view: View): void
  settled(): Promise<void>
}

/** Transactions over one store, and the gate at which all commits wait while one of them has the right of way. */
export type Transactions = {
  run<R>(work: (tx: Tx) => Promise<R>): Promise<R>
  /** Undefined when commits may go ahead. */
  gate(): Promise<void> | undefined
  /** True when commits have to wait. */
  isGated(): boolean
}

type Ending<R> = { value: R } | { problem: unknown }

const toEnding = async <R>(work: Promise<R>): Promise<Ending<R>> => {
  try {
    return { value: await work }
  } catch (problem) {
    return { problem }
  }
}

/**
 * Serialisable transactions: work runs on a view; if every read still holds at its end, all is applied in the same
 * instant, else the work runs again. After a few tries it queues for the right of way. Nobody waits at the gate for
 * more than five seconds, so that work which waits for others cannot lock up the store.
 */
export const transactions = (attempts: Attempts): Transactions => {
  let priority: Promise<void> | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const wait = async (): Promise<void> => {
    const late = new AbortController()
    const timeout = sleep(maxWaitMs, undefined, { signal: late.signal }).then(
      () => true,
      () => true,
    )
    let isLate = false
    while (priority && !isLate) isLate = (await Promise.race([priority, timeout])) === true
    late.abort()
  }
  const gate = (): Promise<void> | undefined => (priority ? wait() : undefined)

  const attempt = async <R>(
    work: (tx: Tx) => Promise<R>,
    hasPriority: boolean,
  ): Promise<Ending<R> | undefined> => {
    const { tx, view, end } = attempts.begin()
    const ending = await toEnding((async () => work(tx))())
    end()
    if (!hasPriority) await gate()
    if (!view.isCurrent()) return undefined
    if ('value' in ending) attempts.commit(view)
    await attempts.settled()
    return ending
  }
  const untilDone = async <R>(work: (tx: Tx) => Promise<R>): Promise<Ending<R>> => {
    let open = (): void => undefined
    priority = new Promise<void>(resolve => {
      open = resolve
    })
    try {
      for (;;) {
        const ending = await attempt(work, true)
        if (ending) return ending
      }
    } finally {
      priority = undefined
      open()
    }
  }
  const tryOptimistically = async <R>(work: (tx: Tx) => Promise<R>): Promise<Ending<R>> => {
    for (let tries = 0; tries < optimisticTries; tries++) {
      const ending = await attempt(work, false)
      if (ending) return ending
    }
    const turn = queue.then(() => untilDone(work))
    queue = turn.catch(() => undefined)
    return turn
  }
  return {
    gate,
    isGated: () => priority !== undefined,
    run: async work => {
      const ending = await tryOptimistically(work)
      if ('problem' in ending) throw ending.problem
      return ending.value
    },
  }
}
