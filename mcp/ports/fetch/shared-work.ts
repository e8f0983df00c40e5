import { toStopError } from './deadline.ts'

type SharedWork<T> = { promise: Promise<T>; waiting: number; startedAt: number; end: AbortController }

/** One piece of work for all who ask for the same while it runs. */
export type Share<T> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>

/**
 * Shares work by key. Who aborts leaves alone; the work ends when the last one left. Work that runs for longer than
 * `joinMs` takes nobody new, so that no slow answer is waited for forever.
 */
export const openShare = <T>(joinMs: number): Share<T> => {
  const workByKey = new Map<string, SharedWork<T>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): SharedWork<T> => {
    const end = new AbortController()
    const promise = work(end.signal)
    const sharedWork = { promise, waiting: 0, startedAt: performance.now(), end }
    const land = () => {
      if (workByKey.get(key) === sharedWork) workByKey.delete(key)
    }
    promise.then(land, land)
    workByKey.set(key, sharedWork)
    return sharedWork
  }

  return (key, signal, work) => {
    if (signal.aborted) return Promise.reject(toStopError(signal))
    const running = workByKey.get(key)
    const joins = running && !running.end.signal.aborted && performance.now() - running.startedAt < joinMs
    const sharedWork = joins ? running : start(key, work)
    sharedWork.waiting++
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(toStopError(signal))
        if (--sharedWork.waiting === 0) sharedWork.end.abort(toStopError(signal))
      }
      signal.addEventListener('abort', leave, { once: true })
      sharedWork.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}
