import { toStopError } from './deadline.ts'

/** Lets a bounded number in at once; the others wait in order, without holding up those of another key. */
export type Semaphore = {
  /** Resolves with the way out, to be called once. Throws when the signal aborts while waiting. */
  enter(key: string, signal?: AbortSignal): Promise<() => void>
}

type Waiting = { key: string; go(): void }

/** A gate for `total` at once, of which at most `perKey` share a key. */
export const openSemaphore = (total: number, perKey = total): Semaphore => {
  const inside = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let count = 0

  const fits = (key: string) => count < total && (inside.get(key) ?? 0) < perKey

  const leave = (key: string) => {
    count -= 1
    const remaining = (inside.get(key) ?? 1) - 1
    if (remaining > 0) inside.set(key, remaining)
    else inside.delete(key)
    for (const next of waiting) {
      if (count >= total) return
      if (fits(next.key)) next.go()
    }
  }

  const admit = (key: string) => {
    count += 1
    inside.set(key, (inside.get(key) ?? 0) + 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      leave(key)
    }
  }

  const enter: Semaphore['enter'] = (key, signal) => {
    if (signal?.aborted) return Promise.reject(toStopError(signal))
    if (fits(key)) return Promise.resolve(admit(key))
    return new Promise((resolve, reject) => {
      const give = () => {
        waiting.delete(next)
        if (signal) reject(toStopError(signal))
      }
      const next = {
        key,
        go() {
          waiting.delete(next)
          signal?.removeEventListener('abort', give)
          resolve(admit(key))
        },
      }
      signal?.addEventListener('abort', give, { once: true })
      waiting.add(next)
    })
  }

  return { enter }
}
