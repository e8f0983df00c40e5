import { setTimeout as pause } from 'node:timers/promises'
import { StoreFailure } from '../index.ts'
import { Conflict } from './failure.ts'

const maxAttempts = 200
const maxMs = 60_000

/** Runs whatever comes in one after the other. */
export const queue = (): (<R>(work: () => Promise<R>) => Promise<R>) => {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

const backoff = (attempt: number): number => Math.random() * Math.min(200, 2 ** Math.min(attempt, 8))

/**
 * Runs `work` again after each `Conflict`, with growing random pauses; it hears how many there were. StoreFailure after 200 attempts or
 * a minute.
 */
export const retry = async <R>(
  work: (conflicts: number) => Promise<R>,
  onConflict: (conflict: Conflict) => void,
): Promise<R> => {
  const start = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt - 1)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      onConflict(error)
      if (attempt >= maxAttempts || performance.now() - start > maxMs)
        throw new StoreFailure(`PostgreSQL: ${attempt} attempts met a conflict: ${error.message}`, {
          cause: error,
        })
      await pause(backoff(attempt))
    }
  }
}
