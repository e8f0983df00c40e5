import type { Fetch, Fetched } from '../../../ports/fetch/port.ts'
import type { RateLimiter } from './rate-limiter.ts'

export type Traveller = { fetch: Fetch; pace: RateLimiter; signal: AbortSignal }

type Way = {
  /** End of the way, and how it got there. */
  url: string
  statuses: number[]
  /** A redirect set a cookie, which is not sent back: some sites go in circles until it is. */
  cookies: boolean
}

/** How a request and its redirects ended. */
export type Trip = Way &
  (
    | { end: 'answer'; answer: Fetched }
    | { end: 'failure'; thrown: unknown }
    | { end: 'circle' | 'too_many' | 'nowhere' | 'app' }
    | { end: 'closed' | 'no_time' }
  )

export type FetchRequest = { method: 'GET' | 'HEAD'; maxBytes: number; deadlineMs: number }

const maxRedirects = 10

const redirects = new Set([301, 302, 303, 307, 308])

const isWeb = (url: string) => /^https?:/i.test(url)

/**
 * Asks for an address and follows its redirects one by one, each in the turn of its own host. Never throws: a failure is an
 * end like others.
 */
export const travel = async (
  { fetch, pace, signal }: Traveller,
  first: string,
  { method, maxBytes, deadlineMs }: FetchRequest,
): Promise<Trip> => {
  const visitedUrls = new Set<string>()
  const way: Way = { url: first, statuses: [], cookies: false }

  const ask = async (url: string): Promise<Fetched | Trip> => {
    const { hostname } = new URL(url)
    const leave = await pace.enter(hostname)
    if (!leave) return { ...way, end: pace.isClosed(hostname) ? 'closed' : 'no_time' }
    try {
      return await fetch(url, {
        method,
        maxBytes,
        fresh: true,
        maxRedirects: 0,
        namedBy: 'page',
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      })
    } catch (error) {
      return { ...way, end: 'failure', thrown: error }
    } finally {
      leave()
    }
  }

  for (;;) {
    visitedUrls.add(way.url)
    const answer = await ask(way.url)
    if ('end' in answer) return answer
    way.statuses.push(answer.status)
    if (!redirects.has(answer.status)) return { ...way, end: 'answer', answer }
    const location = answer.hops.at(-1)?.location
    if (location === undefined) return { ...way, end: 'nowhere' }
    way.cookies ||= answer.headers['set-cookie'] !== undefined
    way.url = location.replace(/#.*$/s, '')
    if (!isWeb(location)) return { ...way, end: 'app' }
    if (visitedUrls.has(way.url)) return { ...way, end: 'circle' }
    if (way.statuses.length > maxRedirects) return { ...way, end: 'too_many' }
  }
}
