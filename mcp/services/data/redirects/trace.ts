import type { Ports } from '../../../ports/ports.ts'
import { extract } from '../page/fetch-page.ts'
import { type HopRequest, type RedirectHop, type Step, take } from './hop.ts'
import { leavings, type Refresh, readRefresh } from './refresh.ts'

/** The way an address leads, and how it ended. */
export type Trace = {
  hops: RedirectHop[]
  end: 'answer' | 'blocked' | 'failed' | 'loop' | 'too_many' | 'out_of_time'
  /** The last step, with its answer. */
  last: Step
  refresh: Refresh | null
  script: string | null
}

export const maxRedirects = 10

/** After this no further hop is asked, so that what is known reaches the caller. */
const budgetMs = 18_000

const nextAddress = ({ fetched }: Step): string | undefined => {
  const location = fetched?.hops[0]?.location
  if (location === undefined) return undefined
  const next = new URL(location)
  next.hash = ''
  return next.href
}

const html = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

/** Reads how the last page leads on; a page that cannot be read does not. */
const readLeavings = async ({ fetched }: Step, workers: Ports['workers']) => {
  if (!fetched) return { refresh: null, script: null }
  const { url, status, headers } = fetched
  const header = readRefresh(headers.refresh, url, 'header')
  if (!html.test(headers['content-type'] ?? '')) return { refresh: header, script: null }
  const task = { markup: fetched.text().text, page: { url, status, headers }, mostNodes: 5000, options: {} }
  const { refresh, script } = (await extract(workers, leavings, task)).result
  return { refresh: header ?? refresh, script }
}

const findEnd = ({ hop }: Step): Trace['end'] => {
  if (hop.blocked) return 'blocked'
  return hop.error === null ? 'answer' : 'failed'
}

/**
 * Follows redirects one request at a time, without cookies, at most ten of them. Only the first address can be refused with
 * `invalid_input`, or fail with a retryable `upstream`; later on both are hops like others.
 */
export const trace = async (
  { fetch, workers }: Pick<Ports, 'fetch' | 'workers'>,
  url: string,
  asking: HopRequest,
): Promise<Trace> => {
  const until = performance.now() + budgetMs
  const visitedUrls = new Set<string>()
  const hops: RedirectHop[] = []

  for (let next = url; ; ) {
    const step = await take(fetch, hops.length + 1, next, asking)
    const { hop, failure } = step
    if (hops.length === 0 && failure && (hop.blocked || failure.toProblem().retryable)) throw failure
    hops.push(hop)
    visitedUrls.add(hop.url)
    const onward = nextAddress(step)
    const endWith = (end: Trace['end']): Trace => ({ hops, end, last: step, refresh: null, script: null })
    if (onward === undefined)
      return { hops, end: findEnd(step), last: step, ...(await readLeavings(step, workers)) }
    if (visitedUrls.has(onward)) return endWith('loop')
    if (hops.length > maxRedirects) return endWith('too_many')
    if (performance.now() > until) return endWith('out_of_time')
    next = onward
  }
}
