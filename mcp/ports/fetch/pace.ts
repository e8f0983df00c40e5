import { setTimeout as sleep } from 'node:timers/promises'
import { toStopError } from './deadline.ts'

/** Waits for one's turn at an origin, `gapMs` after the turn before. Throws when the signal aborts. */
export type Pace = (origin: string, gapMs: number, signal: AbortSignal) => Promise<void>

/** Keeps the requests of those who ask for it apart, origin by origin. */
export const openPace = (): Pace => {
  const next = new Map<string, number>()
  return async (origin, gapMs, signal) => {
    if (gapMs <= 0) return
    const now = performance.now()
    for (const [other, at] of next) {
      if (at > now) break
      next.delete(other)
    }
    const turn = Math.max(now, next.get(origin) ?? 0)
    next.delete(origin)
    next.set(origin, turn + gapMs)
    if (turn <= now) return
    await sleep(turn - now, undefined, { signal }).catch(() => {
      throw toStopError(signal)
    })
  }
}
