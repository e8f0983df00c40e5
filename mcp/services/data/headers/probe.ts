import { ToolError } from '../../../kernel/error.ts'
import type { Lines } from '../../../lib/csp/finding.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { strangeOrigin } from './cors.ts'
import type { HttpProbe } from './redirection.ts'

const little = { maxBytes: 1024, deadlineMs: 8000, fresh: true }

const findErrorCode = (cause: unknown): string => {
  if (typeof cause !== 'object' || cause === null) return ''
  if ('code' in cause && typeof cause.code === 'string') return cause.code
  return 'errors' in cause && Array.isArray(cause.errors) ? findErrorCode(cause.errors[0]) : ''
}

/** The http address of a page on a standard port; undefined where there is none to ask. */
export const toHttpUrl = (url: string): string | undefined => {
  const http = new URL(url)
  if (http.port !== '') return undefined
  http.protocol = 'http:'
  return http.href
}

/** Asks over http where it leads. A way that fails tells nothing. */
export const askHttp = async (fetch: Fetch, url: string, signal: AbortSignal): Promise<HttpProbe> => {
  try {
    const { hops } = await fetch(url, { ...little, maxRedirects: 10, signal })
    return { hops }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'timeout') throw error
    if (error.extra.reason === 'tls_failed') return 'bad_certificate'
    const refusedItself = error.message.startsWith(`${new URL(url).hostname} `)
    return refusedItself && findErrorCode(error.extra.cause) === 'ECONNREFUSED' ? 'closed' : 'unknown'
  }
}

/** The headers that a request from a strange origin gets; undefined when it gets none. */
export const askFromElsewhere = async (
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<Lines | undefined> => {
  try {
    const { hops } = await fetch(url, {
      ...little,
      maxRedirects: 0,
      headers: { origin: strangeOrigin },
      signal,
    })
    return hops[0]?.headers
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'timeout') throw error
    return undefined
  }
}
