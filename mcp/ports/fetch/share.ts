import { stopped } from './deadline.ts'

type Flight<T> = { promise: Promise<T>; waiting: number; startedAt: number; end: AbortController }

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
  const flights = new Map<string, Flight<T>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const end = new AbortController()
    const promise = work(end.signal)
    const flight = { promise, waiting: 0, startedAt: performance.now(), end }
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    promise.then(land, land)
    flights.set(key, flight)
    return flight
  }

  return (key, signal, work) => {
    if (signal.aborted) return Promise.reject(stopped(signal))
    const running = flights.get(key)
    const joins = running && !running.end.signal.aborted && performance.now() - running.startedAt < joinMs
    const flight = joins ? running : start(key, work)
    flight.waiting++
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(stopped(signal))
        if (--flight.waiting === 0) flight.end.abort(stopped(signal))
      }
      signal.addEventListener('abort', leave, { once: true })
      flight.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}
