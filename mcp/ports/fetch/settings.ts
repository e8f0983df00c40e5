import type { FetchOptions } from '../index.ts'
import type { ConnectorSettings } from './connector.ts'
import type { GuardSettings } from './guard.ts'
import type { Timeouts } from './transport.ts'

export type FetchSettings = GuardSettings &
  Pick<ConnectorSettings, 'connect' | 'ca'> & {
    userAgent: string
    /** Requests under way at once, to everybody. Default 32. */
    maxSockets?: number
    /** Requests under way at once to one origin. Default 4. */
    maxSocketsPerOrigin?: number
    timeouts?: Partial<Timeouts>
  }

const most = { bytes: 5 * 1024 * 1024, redirects: 10, ms: 12_000 }

const atMost = (limit: number, wanted: number) => Math.max(0, Math.min(limit, wanted))

/** What one call may use: its own wishes where they are tighter, the defaults of the port otherwise. */
export const limitsOf = ({ maxBytes, maxRedirects, deadlineMs }: FetchOptions) => ({
  maxBytes: atMost(most.bytes, maxBytes ?? most.bytes),
  maxRedirects: atMost(most.redirects, maxRedirects ?? 5),
  deadlineMs: atMost(most.ms, deadlineMs ?? most.ms),
})

/** 5 s to connect, 8 s for the headers, 5 s between two pieces of the body. */
export const timeoutsOf = (settings: FetchSettings): Timeouts => ({
  connectMs: 5000,
  headersMs: 8000,
  idleMs: 5000,
  ...settings.timeouts,
})
