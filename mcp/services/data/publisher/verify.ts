import { ToolError } from '../../../kernel/error.ts'
import { metadata } from '../../../lib/page/metadata.ts'
import type { Ports } from '../../../ports/ports.ts'
import { open } from '../headers/open.ts'
import type { Note } from '../meta.ts'

/** True when a text is there: true, false, or null where the answer leaves it open. */
type Live = { live: boolean | null; reason: Note | null }

const missing =
  /(?:^|\W)(?:404|page not found|not found|page introuvable|page non trouvée|pagina niet gevonden|niet gevonden|seite nicht gefunden|nicht gefunden|no encontrada|non trovata|não encontrada)(?:\W|$)/i

const unknown = (code: string, message: string): Live => ({ live: null, reason: { code, message } })

/** Judges a page by its status; a wall, a fault or a page that only says it is missing says nothing. */
export const toLiveness = (status: number, title: string | null): Live => {
  if (status === 404 || status === 410)
    return { live: false, reason: { code: 'gone', message: `The address answers ${status}.` } }
  if (status === 401 || status === 403 || status === 407 || status === 429 || status === 451)
    return unknown('walled', `It answers ${status}, which does not tell whether the page is there.`)
  if (status >= 400)
    return unknown('status_unclear', `It answers ${status}, which does not tell whether the page is there.`)
  if (status >= 300) return unknown('status_unclear', `It answers ${status} and leads nowhere.`)
  if (title !== null && missing.test(title))
    return unknown('soft_404', 'It answers as if the page were there, and its title says that it is not.')
  return { live: true, reason: null }
}

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
