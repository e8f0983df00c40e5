import { stopped } from './fetch/deadline.ts'
import type { Cache, Clock } from './index.ts'
import { sizeOf } from './size.ts'

type Kept = { value: unknown; at: number; until: number; bytes: number }

/** Work that is under way, how many wait for it, and what ends it when none does. */
type Flight = { work: Promise<unknown>; waiting: number; end: AbortController }

type Options = { clock: Clock; mostBytes?: number; mostBytesEach?: number }

/**
 * A cache in memory, one per replica: 64 MiB in all, 2 MiB each by default; what was used longest ago goes first. Values are
 * shared between askers and must not be changed.
 */
export const openCache = ({
  clock,
  mostBytes = 64 << 20,
  mostBytesEach = 2 << 20,
}: Options): Cache & { bytes(): number } => {
  const kept = new Map<string, Kept>()
  const flights = new Map<string, Flight>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }

  const keep = (key: string, value: unknown, seconds: number) => {
    drop(key)
    const size = sizeOf(value, mostBytesEach)
    if (seconds <= 0 || size > mostBytesEach) return
    const at = clock.now().getTime()
    kept.set(key, { value, at, until: at + seconds * 1000, bytes: size })
    bytes += size
    for (const oldest of kept.keys()) {
      if (bytes <= mostBytes) break
      drop(oldest)
    }
  }

  const fresh = (key: string) => {
    const found = kept.get(key)
    const now = clock.now().getTime()
    if (!found || found.until <= now) return undefined
    kept.delete(key)
    kept.set(key, found)
    return { value: found.value, ageSec: Math.max(0, Math.floor((now - found.at) / 1000)) }
  }

  const start = <T>(
    key: string,
    make: (signal: AbortSignal) => Promise<{ value: T; seconds: number }>,
  ): Flight => {
    const end = new AbortController()
    const work = make(end.signal).then(({ value, seconds }) => {
      keep(key, value, seconds)
      return value
    })
    const flight = { work, waiting: 0, end }
    flights.set(key, flight)
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    work.then(land, land)
    return flight
  }

  /** The outcome, unless the signal aborts first. Who leaves last ends the work, and nobody joins it any more. */
  const wait = (key: string, flight: Flight, signal: AbortSignal | undefined): Promise<unknown> => {
    flight.waiting += 1
    if (!signal) return flight.work
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(stopped(signal))
        flight.waiting -= 1
        if (flight.waiting > 0) return
        if (flights.get(key) === flight) flights.delete(key)
        flight.end.abort(stopped(signal))
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      flight.work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  return {
    async take<T>(
      key: string,
      make: (signal: AbortSignal) => Promise<{ value: T; seconds: number }>,
      waiter?: { readonly signal: AbortSignal },
    ) {
      const found = fresh(key)
      if (found) return { value: found.value as T, cached: true, ageSec: found.ageSec }
      const flight = flights.get(key) ?? start(key, make)
      return { value: (await wait(key, flight, waiter?.signal)) as T, cached: false, ageSec: 0 }
    },
    bytes: () => bytes,
  }
}
