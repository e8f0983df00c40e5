import { ToolError } from '../../../kernel/error.ts'
import type { Feed } from '../../../lib/feed/feed.ts'
import { pageFeeds } from '../../../lib/feed/page-feeds.ts'
import { type FeedSource, here, readFeed, readFeedTask } from '../../../lib/feed/read-feed.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import { extract } from '../page/fetch-page.ts'

export type FeedResult = { feed: Feed; feed_url: string; status: number; truncated: boolean }

type Reach = Pick<Ports, 'fetch' | 'workers'> & { signal: AbortSignal }

type FeedOptions = Pick<FeedSource, 'limit' | 'content'>

const accept =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.7, */*;q=0.5'

/** Larger feeds are read in a worker, so that none stalls the server. */
const workerFrom = 32 * 1024
const workerMs = 5000

/** Usual paths of feeds on sites that do not say so, and the number looked at besides the page itself. */
const usual = ['/feed', '/rss.xml', '/atom.xml', '/index.xml']
const maxTries = 4

/** Failures that are about the call or this server, not about a candidate. */
const passes: ReadonlySet<string> = new Set(['timeout', 'too_many_requests', 'unavailable'])

const host = (url: string) => new URL(url).hostname

/** Refuses the page of an error, as what it is: gone for good, or failing for now. */
const assertAnswered = ({ url, status }: Fetched): void => {
  if (status < 400) return
  if (status === 404) throw new ToolError('not_found', `${url} does not exist: ${host(url)} answered 404.`)
  if (status === 410) throw new ToolError('gone', `${url} is gone for good: ${host(url)} answered 410.`)
  const retryable = status === 429 || status >= 500
  throw new ToolError('upstream', `${host(url)} answered ${status} instead of a feed.`, { retryable })
}

const readFeedFrom = async (
  { workers }: Reach,
  fetched: Fetched,
  options: FeedOptions,
): Promise<FeedResult | undefined> => {
  const { body, url, status, headers, truncated } = fetched
  // The server may name the document otherwise; relative addresses start there.
  const named = headers['content-location']
  const base = named !== undefined && URL.canParse(named, url) ? new URL(named, url).href : url
  const source: FeedSource = {
    url: base,
    contentType: headers['content-type'] ?? '',
    language: headers['content-language'],
    ...options,
  }
  const feed =
    body.length < workerFrom
      ? readFeed(body, source)
      : await workers.run<Feed | null>(here, readFeedTask.name, { bytes: body, source }, workerMs)
  return feed ? { feed, feed_url: url, status, truncated } : undefined
}

const isMarkup = ({ headers, body }: Fetched): boolean =>
  /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body.subarray(0, 200).toString('latin1'))

/** The feeds that a page names, and where they may be besides. */
const candidates = async ({ workers }: Reach, fetched: Fetched): Promise<string[]> => {
  const { url, status, headers } = fetched
  const page = { url, status, headers }
  const task = { markup: fetched.text().text, page, mostNodes: 50_000, options: {} }
  const { result: pageLinks } = await extract(workers, pageFeeds, task)
  return [...new Set([...pageLinks.slice(0, 3), ...usual.map(path => new URL(path, url).href)])]
}

/**
 * Fetches a feed, or the feed of a page: the one it declares, else one at a usual place, four tries at most. Throws
 * `not_found` when there is none, `gone` for 410, and a retryable `upstream` when nobody can tell now.
 */
export const findFeed = async (reach: Reach, url: string, options: FeedOptions): Promise<FeedResult> => {
  const { fetch, signal } = reach
  const first = await fetch(url, { accept, signal })
  assertAnswered(first)
  const direct = await readFeedFrom(reach, first, options)
  if (direct) return direct
  if (!isMarkup(first))
    throw new ToolError('not_found', `There is no feed at ${first.url}: it is something else.`, {
      hint: 'Give the address of an RSS, Atom or JSON feed, or of a page that names one.',
    })
  let outage: ToolError | undefined
  for (const candidate of (await candidates(reach, first)).slice(0, maxTries)) {
    try {
      const fetched = await fetch(candidate, { accept, signal, deadlineMs: 8000, namedBy: 'page' })
      assertAnswered(fetched)
      const result = await readFeedFrom(reach, fetched, options)
      if (result) return result
    } catch (error) {
      if (!(error instanceof ToolError) || passes.has(error.code)) throw error
      if (error.code === 'upstream' && error.toProblem().retryable) outage = error
    }
  }
  if (outage) throw outage
  throw new ToolError(
    'not_found',
    `The page ${first.url} names no feed, and there is none at the usual places.`,
    {
      hint: 'Give the address of the feed itself.',
    },
  )
}
