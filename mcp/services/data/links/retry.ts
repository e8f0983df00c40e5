import type { Clock } from '../../../ports/clock/port.ts'
import { toFailureVerdict } from './failure.ts'
import type { Trip } from './follow-redirects.ts'
import { isWall } from './to-verdict.ts'

/** Time to ask again with GET: at once (0), after so many milliseconds of peace for the host, or not at all. */
export type Again = { afterMs: number; pauseHost: boolean } | { never: true; closeHost: boolean }

const maxWaitMs = 5000
const unsaidWaitMs = 1000

/** Said about the page and not about the method, so that GET says the same. */
const final = new Set([401, 402, 407, 410, 451, 999])

/** Milliseconds that `Retry-After` asks for (RFC 9110, section 10.2.3); undefined without one that can be read. */
export const retryAfter = (header: string | undefined, clock: Clock): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now().getTime())
}

const never: Again = { never: true, closeHost: false }

const afterAnswer = (trip: Trip & { end: 'answer' }, clock: Clock): Again => {
  const { status, headers } = trip.answer
  if (status < 400 || final.has(status) || isWall(trip.answer)) return never
  if (status !== 429 && status !== 503) return { afterMs: status >= 500 ? 500 : 0, pauseHost: false }
  const requestedMs = retryAfter(headers['retry-after'], clock)
  if (requestedMs === undefined)
    return { afterMs: status === 429 ? unsaidWaitMs : 500, pauseHost: status === 429 }
  if (requestedMs > maxWaitMs) return { never: true, closeHost: true }
  return { afterMs: requestedMs + 100, pauseHost: true }
}

/** Many servers answer HEAD wrongly, and many failures pass: those are asked again, once and with GET. */
export const again = (trip: Trip, clock: Clock): Again => {
  if (trip.end === 'answer') return afterAnswer(trip, clock)
  if (trip.end === 'circle' || trip.end === 'nowhere') return { afterMs: 0, pauseHost: false }
  if (trip.end !== 'failure') return never
  const { state, reason } = toFailureVerdict(trip.thrown)
  const passes = state === 'late' || reason === 'connection' || reason === 'refused'
  return passes ? { afterMs: 300, pauseHost: false } : never
}
