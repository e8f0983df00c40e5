import { ToolError } from '../../../kernel/error.ts'
import { missingAnchors } from '../../../lib/page/links/anchors.ts'
import type { PageLink } from '../../../lib/page/links/page-links.ts'
import type { Ports } from '../../../ports/ports.ts'
import { extract } from '../page/fetch-page.ts'
import { type Checker, checkAddress, type LinkResult } from './check.ts'
import { openRateLimiter } from './rate-limiter.ts'

export type LinkOutcome = { link: PageLink; checked: LinkResult; missing: string[] }

/** How hard sites may be asked, and how long all of it may take, in milliseconds. */
export type Politeness = {
  total: number
  perHost: number
  gapMs: number
  freely: number
  wholeMs: number
}

export const polite: Politeness = { total: 12, perHost: 2, gapMs: 250, freely: 4, wholeMs: 20_000 }

/** A page that is too heavy to be read has no anchors that anybody knows of; other failures are not about the page. */
const unlessUnreadable = (error: unknown): null => {
  if (error instanceof ToolError && error.code !== 'upstream') throw error
  return null
}

/** Anchors that a page lacks; none where the page was not read to its end. */
const missingIn = async (
  workers: Ports['workers'],
  { page, state }: LinkResult,
  fragments: string[],
): Promise<string[]> => {
  const isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(page?.headers['content-type'] ?? '')
  if (!page || state !== 'ok' || !isHtml || page.truncated) return []
  const { url, status, headers } = page
  const markup = page.text().text
  const task = { markup, page: { url, status, headers }, mostNodes: undefined, options: fragments }
  const extraction = await extract(workers, missingAnchors, task).catch(unlessUnreadable)
  return extraction && extraction.cut === null ? extraction.result : []
}

/**
 * Checks addresses politely: `limits.total` at once, few to one host and with a gap when it is asked often. What is not
 * settled after `limits.wholeMs` is `late`.
 */
export const checkAll = async (
  ports: Pick<Ports, 'fetch' | 'dns' | 'clock' | 'workers'> & { signal: AbortSignal },
  links: readonly PageLink[],
  { fragments, limits }: { fragments: boolean; limits: Politeness },
): Promise<LinkOutcome[]> => {
  const signal = AbortSignal.any([ports.signal, AbortSignal.timeout(Math.max(0, Math.round(limits.wholeMs)))])
  const checker: Checker = { ...ports, signal, pace: openRateLimiter({ ...limits, signal }) }
  return Promise.all(
    links.map(async link => {
      const anchors = fragments ? link.fragments : []
      const checked = await checkAddress(checker, link.url, anchors.length > 0)
      const missing = anchors.length > 0 ? await missingIn(ports.workers, checked, anchors) : []
      return { link, checked: { ...checked, page: null }, missing }
    }),
  )
}
