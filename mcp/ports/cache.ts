import type { Cache, Clock } from './index.ts'
import { sizeOf } from './size.ts'

type Kept = { value: unknown; at: number; until: number; bytes: number }

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
  const making = new Map<string, Promise<unknown>>()
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

  const make = <T>(key: string, work: () => Promise<{ value: T; seconds: number }>): Promise<T> => {
    const made = work().then(({ value, seconds }) => {
      keep(key, value, seconds)
      return value
    })
    making.set(key, made)
    const done = () => void making.delete(key)
    made.then(done, done)
    return made
  }

  return {
    async take<T>(key: string, work: () => Promise<{ value: T; seconds: number }>) {
      const found = fresh(key)
      if (found) return { value: found.value as T, cached: true, ageSec: found.ageSec }
      const running = making.get(key) as Promise<T> | undefined
      return { value: await (running ?? make(key, work)), cached: false, ageSec: 0 }
    },
    bytes: () => bytes,
  }
}
