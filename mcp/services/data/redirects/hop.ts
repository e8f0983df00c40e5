import { STATUS_CODES } from 'node:http'
import { ToolError } from '../../../kernel/error.ts'
import { clean } from '../../../lib/text/clean.ts'
import { ellipsize } from '../../../lib/text/cut.ts'
import type { Fetch, Fetched } from '../../../ports/fetch/port.ts'

/** One step on the way. Blocked and failed ones have no status. */
export type RedirectHop = {
  n: number
  url: string
  status: number | null
  status_text: string | null
  location: string | null
  ms: number
  ip: string | null
  https: boolean
  server: string | null
  sets_cookie: boolean
  blocked: boolean
  reason: string | null
  error: string | null
}

/** A hop with what else is known of it: the answer, and whether a failure may pass. */
export type Step = { hop: RedirectHop; fetched?: Fetched; failure?: ToolError }

export type HopRequest = {
  method: 'GET' | 'HEAD'
  signal: AbortSignal
}

const maxLength = 2048

/** A meta refresh and its script stand at the top of a page. */
const bodyRead = 32 * 1024

const perHopMs = 8000

const shorten = (url: string): string => ellipsize(url, maxLength)

const unansweredHop = (n: number, url: string, ms: number): RedirectHop => ({
  n,
  url: shorten(url),
  status: null,
  status_text: null,
  location: null,
  ms,
  ip: null,
  https: url.startsWith('https:'),
  server: null,
  sets_cookie: false,
  blocked: false,
  reason: null,
  error: null,
})

const toFailedStep = (hop: RedirectHop, error: unknown): Step => {
  if (!(error instanceof ToolError)) throw error
  if (error.code === 'invalid_input') {
    const reason = error.extra.issues?.[0]?.message ?? error.message
    return { hop: { ...hop, blocked: true, reason }, failure: error }
  }
  if (error.code !== 'upstream') throw error
  return { hop: { ...hop, error: error.message }, failure: error }
}

/** Asks one address and follows nothing. Addresses that are refused and hosts that fail become hops that say so. */
export const take = async (
  fetch: Fetch,
  n: number,
  url: string,
  { method, signal }: HopRequest,
): Promise<Step> => {
  const began = performance.now()
  const once = { maxRedirects: 0, maxBytes: bodyRead, deadlineMs: perHopMs, fresh: true }
  const headers = { 'accept-encoding': 'identity' }
  try {
    const fetched = await fetch(url, {
      method,
      headers,
      signal,
      ...once,
      namedBy: n === 1 ? 'caller' : 'page',
    })
    const ms = Math.round(performance.now() - began)
    const [answer] = fetched.hops
    const hop: RedirectHop = {
      ...unansweredHop(n, fetched.url, ms),
      status: fetched.status,
      status_text: STATUS_CODES[fetched.status] ?? null,
      location: answer?.location === undefined ? null : shorten(answer.location),
      ip: answer?.ip ?? null,
      server: clean(fetched.headers.server, 200),
      sets_cookie: fetched.headers['set-cookie'] !== undefined,
    }
    return { hop, fetched }
  } catch (error) {
    return toFailedStep(unansweredHop(n, url, Math.round(performance.now() - began)), error)
  }
}
