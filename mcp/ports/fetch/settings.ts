import type { BudgetLimits } from './budget.ts'
import type { ConnectorSettings } from './connector.ts'
import type { GuardSettings } from './guard.ts'
import type { FetchOptions } from './port.ts'
import type { Timeouts } from './transport.ts'

export type FetchSettings = GuardSettings &
  Pick<ConnectorSettings, 'connect' | 'ca'> & {
    userAgent: string
    /** Opens the guard to an address that the operator configured, for requests that name the operator, and no redirect. */
    allowOperator?: GuardSettings['allow']
    /** Requests under way at once, to everybody; one network alone may have half. Default 32. */
    maxSockets?: number
    /** Requests under way at once to one origin; one network alone may have half. Default 6. */
    maxSocketsPerOrigin?: number
    timeouts?: Partial<Timeouts>
    /** Maximum sent to a target in a minute. Default 240 requests a host, 480 a domain, 600 connections an address. */
    budget?: Partial<BudgetLimits>
    /** Milliseconds that a call may ask for. Default 12,000. */
    maxMs?: number
    /** The time in milliseconds, for `Retry-After` and budgets. Only tests set it. */
    now?: () => number
  }

const mebibyte = 1024 * 1024

export const maxima = { bytes: 20 * mebibyte, redirects: 10, ms: 12_000, gapMs: 2000 }

const atMost = (limit: number, value: number) => Math.max(0, Math.min(limit, value))

/** Limits of one call: its own wishes within the limits of the port, the defaults otherwise. */
export const toLimits = (
  { maxBytes, maxRedirects, deadlineMs, gapMs }: FetchOptions,
  maxMs: number = maxima.ms,
) => ({
  maxBytes: atMost(maxima.bytes, maxBytes ?? 5 * mebibyte),
  maxRedirects: atMost(maxima.redirects, maxRedirects ?? 5),
  deadlineMs: atMost(maxMs, deadlineMs ?? maxMs),
  gapMs: atMost(maxima.gapMs, gapMs ?? 0),
})

/** 5 s to connect, 8 s for the headers, 5 s between two pieces of the body. */
export const toTimeouts = (settings: FetchSettings): Timeouts => ({
  connectMs: 5000,
  headersMs: 8000,
  idleMs: 5000,
  ...settings.timeouts,
})
