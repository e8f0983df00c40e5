import type { Turn } from '../scheduler/port.ts'

/** Options of one outbound request. Limits only tighten the defaults, but for `maxBytes`. */
/**
 * Who named the host of a request: the caller, a page or file of a stranger, or the operator, whose registries are not
 * counted. Each host is asked so often a minute at most, and half as often for pages.
 */
export type NamedBy = 'caller' | 'page' | 'operator'

export type FetchOptions = {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Buffer
  /** `Accept` sent. Default: any. */
  accept?: string
  /** Refuse a body whose media type does not match, before it is read. */
  types?: RegExp
  /** Decoded bytes kept; what is beyond is dropped and flagged. Default 5 MiB, at most 20. */
  maxBytes?: number
  /** Redirects followed, each checked as the first address was. Default 5, at most 10. */
  maxRedirects?: number
  /** Milliseconds for the whole call. Default 12,000. */
  deadlineMs?: number
  /** Ask the site itself now: no kept answer, and none that another caller is waiting for. */
  fresh?: boolean
  /** Milliseconds between two requests to one origin, for callers that ask it many times. At most 2,000. */
  gapMs?: number
  /** Default: the caller. A redirect to another host is the page's. */
  namedBy?: NamedBy
  signal?: AbortSignal
}

/** One answer on the way. `headers` by lower-case name, every line of a repeated one; `ip` is who answered, null for a kept answer. */
export type Hop = {
  url: string
  status: number
  ms: number
  location?: string
  headers: Readonly<Record<string, readonly string[]>>
  ip: string | null
}

export type Fetched = {
  /** Target of the last redirect. */
  url: string
  status: number
  hops: Hop[]
  /** Lower-case names; repeated headers joined with ", ". */
  headers: Record<string, string>
  body: Buffer
  /** More was sent than `maxBytes`, or the body broke off. */
  truncated: boolean
  /** The body in the charset that BOM, header, markup or the bytes themselves tell. */
  text(): { text: string; charset: string; charsetSource: string }
}

/** The one way out to the web: public addresses only, pinned to the checked address, bounded in size and time. */
export type Fetch = ((url: string, options?: FetchOptions) => Promise<Fetched>) & {
  /** Throws what a call would throw for an address by every rule that needs no look-up: `invalid_input`. */
  check?(url: string): void
  /** The same on behalf of one call: its client has a share of the requests under way. */
  forCall?(turn: Partial<Turn>): Fetch
}
