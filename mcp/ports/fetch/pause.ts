import { upstream } from './failure.ts'

const maxPauseMs = 60_000
const maxOrigins = 10_000

/** Milliseconds that a `Retry-After` header asks for (RFC 9110 section 10.2.3); 0 when it says nothing that can be read. */
export const readRetryAfter = (header: string, now: number): number => {
  const text = header.trim()
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}

/** Remembers which origins asked to be left alone, and for how long: a minute at most. */
export const openPauses = (now: () => number) => {
  const until = new Map<string, number>()
  return {
    /** Throws `upstream` with `retryAfter` while an origin is to be left alone. */
    check({ origin, hostname }: URL): void {
      const remainingMs = (until.get(origin) ?? 0) - now()
      if (remainingMs > 0) {
        const seconds = Math.ceil(remainingMs / 1000)
        throw upstream(hostname, `asked for a pause of ${seconds} more seconds`, true, {
          retryAfter: seconds,
        })
      }
      until.delete(origin)
    },
    /** Takes what a 429 or 503 says. */
    note({ origin }: URL, status: number, retryAfter: string | undefined): void {
      if ((status !== 429 && status !== 503) || retryAfter === undefined) return
      const ms = Math.min(maxPauseMs, readRetryAfter(retryAfter, now()))
      if (ms === 0) return
      until.delete(origin)
      until.set(origin, now() + ms)
      const [oldest] = until.keys()
      if (until.size > maxOrigins && oldest !== undefined) until.delete(oldest)
    },
  }
}

export type Pauses = ReturnType<typeof openPauses>
