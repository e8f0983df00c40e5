import { ToolError } from '../../../kernel/error.ts'
import { metadata } from '../../../lib/page/metadata.ts'
import type { Ports } from '../../../ports/ports.ts'
import { open } from '../headers/open.ts'
import type { Note } from '../meta.ts'
import { type Live, toLiveness } from './live.ts'

/** Result of a visit to an address. Nothing is known of where it leads when it failed. */
export type PublisherVisit = Live & {
  status: number | null
  final_url: string | null
  redirected: boolean | null
  title: string | null
  content_type: string | null
  warnings: Note[]
  truncated: boolean
  failed: boolean
}

const limits = { maxBytes: 512 * 1024, mostNodes: 20_000, maxRedirects: 10, fresh: true }

const isMissing = async (dns: Ports['dns'], url: string, signal: AbortSignal): Promise<boolean> => {
  const answer = await dns.query(new URL(url).hostname, 'A', { signal }).catch(() => undefined)
  return answer?.rcode === 'NXDOMAIN'
}

const failedVisit = (live: Live): PublisherVisit => ({
  ...live,
  status: null,
  final_url: null,
  redirected: null,
  title: null,
  content_type: null,
  warnings: [],
  truncated: false,
  failed: true,
})

/** Visits an address for what it says of itself. A site that fails is unknown, never gone, unless its name does not exist. */
export const verify = async (
  { dns, ...web }: Pick<Ports, 'fetch' | 'workers' | 'dns'>,
  url: string,
  signal: AbortSignal,
): Promise<PublisherVisit> => {
  try {
    const openedPage = await open(web, url, metadata, { ...limits, signal, options: {} })
    const { fetched, page, warnings, truncated } = openedPage
    const title = page?.title ?? null
    return {
      ...toLiveness(fetched.status, title),
      status: fetched.status,
      final_url: fetched.url,
      redirected: fetched.hops.length > 1,
      title,
      content_type: fetched.headers['content-type'] ?? null,
      warnings,
      truncated,
      failed: false,
    }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'upstream') throw error
    if (!error.toProblem().retryable && (await isMissing(dns, url, signal))) {
      const message = 'The host name does not exist.'
      return failedVisit({ live: false, reason: { code: 'no_such_host', message } })
    }
    return failedVisit({ live: null, reason: { code: 'unreachable', message: error.message } })
  }
}
