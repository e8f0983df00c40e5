import type { Clock } from '../clock/port.ts'
import { toStopError } from '../fetch/deadline.ts'
import { estimateBytes } from '../size.ts'
import type { Cache } from './port.ts'

type Entry = { value: unknown; at: number; until: number; bytes: number }

/** Work that is under way, how many wait for it, and what ends it when none does. */
type PendingWork = { work: Promise<unknown>; waiting: number; end: AbortController }

type Options = { clock: Clock; maxBytes?: number; maxBytesEach?: number }

/**
 * A cache in memory, one per replica: 64 MiB in all, 2 MiB each by default; what was used longest ago goes first. Values are
 * shared between askers and must not be changed.
 */
export const openCache = ({
  clock,
  maxBytes = 64 << 20,
  maxBytesEach = 2 << 20,
}: Options): Cache & { bytes(): number } => {
  const entries = new Map<string, Entry>()
  const pending = new Map<string, PendingWork>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  const keep = (key: string, value: unknown, seconds: number) => {
    drop(key)
    const size = estimateBytes(value, maxBytesEach)
    if (seconds <= 0 || size > maxBytesEach) return
    const at = clock.now().getTime()
    entries.set(key, { value, at, until: at + seconds * 1000, bytes: size })
    bytes += size
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
  }

  const fresh = (key: string) => {
    const entry = entries.get(key)
    const now = clock.now().getTime()
    if (!entry || entry.until <= now) return undefined
    entries.delete(key)
    entries.set(key, entry)
    return { value: entry.value, ageSec: Math.max(0, Math.floor((now - entry.at) / 1000)) }
  }

  const start = <T>(
    key: string,
    make: (signal: AbortSignal) => Promise<{ value: T; seconds: number }>,
  ): PendingWork => {
    const end = new AbortController()
    const work = make(end.signal).then(({ value, seconds }) => {
      keep(key, value, seconds)
      return value
    })
    const pendingWork = { work, waiting: 0, end }
    pending.set(key, pendingWork)
    const land = () => {
      if (pending.get(key) === pendingWork) pending.delete(key)
    }
    work.then(land, land)
    return pendingWork
  }

  /** The outcome, unless the signal aborts first. Who leaves last ends the work, and nobody joins it any more. */
  const wait = (key: string, pendingWork: PendingWork, signal: AbortSignal | undefined): Promise<unknown> => {
    pendingWork.waiting += 1
    if (!signal) return pendingWork.work
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(toStopError(signal))
        pendingWork.waiting -= 1
        if (pendingWork.waiting > 0) return
        if (pending.get(key) === pendingWork) pending.delete(key)
        pendingWork.end.abort(toStopError(signal))
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      pendingWork.work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  return {
    async take<T>(
      key: string,
      make: (signal: AbortSignal) => Promise<{ value: T; seconds: number }>,
      waiter?: { readonly signal: AbortSignal },
    ) {
      const hit = fresh(key)
      if (hit) return { value: hit.value as T, cached: true, ageSec: hit.ageSec }
      const pendingWork = pending.get(key) ?? start(key, make)
      return { value: (await wait(key, pendingWork, waiter?.signal)) as T, cached: false, ageSec: 0 }
    },
    bytes: () => bytes,
  }
}
