import { ToolError } from '../../../kernel/error.ts'
import { isTargetLimit } from '../../../lib/target-limit.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { SitemapUrl } from './entry-url.ts'
import { here, type MapRead, type MapTask, readMap } from './read-map.ts'
import { isGzip } from './unpack.ts'

/** One file that was asked for. `type` is null when it is no sitemap, `status` when nobody answered. */
export type MapFile = {
  url: string
  type: 'index' | 'urlset' | 'text' | 'rss' | 'atom' | null
  status: number | null
  urls: number
  error: string | null
}

/** A file, what it holds, and whether it failed in a way that may pass. */
export type FileReading = {
  file: MapFile
  urls: SitemapUrl[]
  children: string[]
  outage: boolean
  html: boolean
  cut: boolean
}

export type SitemapAccess = Pick<Ports, 'fetch' | 'workers'> & { signal: AbortSignal }

/** Larger files, and packed ones, are read in a worker, so that none stalls the server. */
const workerFrom = 64 * 1024
const workerMs = 5000

/** A sitemap of 50,000 addresses has 5 to 20 MB. */
const maxBytes = 20 * 1024 * 1024

const passes: ReadonlySet<string> = new Set(['timeout', 'too_many_requests', 'unavailable'])

/** True when a failure is about the call or this server. A host that was asked often enough costs its own files only. */
const isRethrown = (cause: ToolError): boolean => passes.has(cause.code) && !isTargetLimit(cause)

const failedOutcome = (
  url: string,
  status: number | null,
  error: string,
  more: Partial<FileReading> = {},
): FileReading => ({
  file: { url, type: null, status, urls: 0, error },
  urls: [],
  children: [],
  outage: false,
  html: false,
  cut: false,
  ...more,
})

const parseFile = (workers: Ports['workers'], task: MapTask): Promise<MapRead> =>
  task.bytes.length < workerFrom && !isGzip(task.bytes)
    ? readMap(task)
    : workers.run<MapRead>(here, 'readMap', task, workerMs)

/** Fetches and reads one sitemap. Throws only what is not about that file; `most` addresses of it are wanted in full. */
export const readFile = async (
  { fetch, workers, signal }: SitemapAccess,
  url: string,
  maxUrls: number,
): Promise<FileReading> => {
  try {
    const accept = 'application/xml, text/xml, text/plain, application/gzip, */*;q=0.5'
    const fetched = await fetch(url, { accept, maxBytes: maxBytes, gapMs: 100, namedBy: 'page', signal })
    const { status, body, truncated } = fetched
    if (status === 429 || status >= 500)
      return failedOutcome(url, status, `It answered ${status}.`, { outage: true })
    if (status >= 300) return failedOutcome(url, status, `It answered ${status}.`)
    const sitemap = await parseFile(workers, { bytes: body, url: fetched.url, most: maxUrls })
    const { type, urls, children, cut } = sitemap
    if (type === 'html')
      return failedOutcome(url, status, 'It is a page of HTML, no sitemap.', { html: true })
    if (type === 'other') return failedOutcome(url, status, 'It is no sitemap.')
    return {
      file: { url, type, status, urls: type === 'index' ? 0 : sitemap.found, error: null },
      urls,
      children,
      outage: false,
      html: false,
      cut: cut || truncated,
    }
  } catch (cause) {
    if (!(cause instanceof ToolError) || isRethrown(cause)) throw cause
    const reason = cause.extra.issues?.[0]?.message
    const error = reason === undefined ? cause.message : `Its address is not visited: ${reason}.`
    return failedOutcome(url, null, error, { outage: cause.toProblem().retryable })
  }
}
