/** Why an address counts as broken. */
export const brokenReasons = [
  'not_found',
  'gone',
  'client_error',
  'server_error',
  'no_such_host',
  'tls',
  'refused',
  'redirect_loop',
  'redirect_nowhere',
  'no_address',
] as const
export type BrokenReason = (typeof brokenReasons)[number]

/** Facts known of an address after it was asked for. */
export type LinkVerdict = {
  state: 'ok' | 'broken' | 'blocked' | 'skipped' | 'late' | 'unknown'
  /** HTTP status of the last answer; null when there was none. */
  status: number | null
  /** A stable code; null when all is well. */
  reason: string | null
  /** The reason as a sentence. */
  error: string | null
}
