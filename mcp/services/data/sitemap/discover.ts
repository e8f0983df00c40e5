import { ToolError } from '../../../kernel/error.ts'
import { absolute } from '../../../lib/page/link.ts'
import type { Note } from '../meta.ts'
import { directivesIn, parseRobotsLines } from '../robots/directive.ts'
import { fetchRobots } from '../robots/fetch-robots.ts'
import { fromBinaryString } from '../robots/line.ts'
import { type Crawl, crawl } from './crawl.ts'
import type { SitemapAccess } from './read-file.ts'

/** Paths of sitemaps when robots.txt names none. */
const usual = [
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/sitemap-index.xml',
  '/wp-sitemap.xml',
  '/sitemap.xml.gz',
]

const maxNamed = 50

export type Discovery = Crawl & { notes: Note[]; source: 'robots.txt' | 'guess' | 'input' | null }

const isSitemap = ({ outcomes }: Crawl) => outcomes.some(({ file }) => file.type !== null)

const outageIn = (crawls: readonly Crawl[]) =>
  crawls.flatMap(({ outcomes }) => outcomes).find(({ outage }) => outage)?.file

const nothing: Crawl = { outcomes: [], urls: [], total_found: 0, cut: null }

/** Tries the usual places, one after the other, until one is a sitemap. */
const guess = async (
  reach: SitemapAccess,
  origin: string,
  triedUrls: ReadonlySet<string>,
  maxUrls: number,
) => {
  const failures: Crawl[] = []
  for (const path of usual) {
    const url = origin + path
    if (triedUrls.has(url)) continue
    const result = await crawl(reach, [url], maxUrls)
    if (isSitemap(result)) return { found: result, failures }
    failures.push(result)
  }
  return { found: undefined, failures }
}

/**
 * Finds the sitemaps of a host, by its robots.txt or at the usual places, and reads them. Throws a retryable `upstream`
 * when the host does not answer, or nothing was found and one that may be a sitemap failed for now.
 */
export const discover = async (reach: SitemapAccess, host: string, maxUrls: number): Promise<Discovery> => {
  const robots = await fetchRobots(reach.fetch, host, reach.signal)
  if (robots.status === null)
    throw new ToolError('upstream', `${host} does not answer over https or http.`, { retryable: true })
  const namedSitemaps = directivesIn(parseRobotsLines(robots.body)).flatMap(({ field, value }) =>
    field === 'sitemap' ? (absolute(fromBinaryString(value), robots.final_url) ?? []) : [],
  )
  const first =
    namedSitemaps.length > 0 ? await crawl(reach, namedSitemaps.slice(0, maxNamed), maxUrls) : nothing
  if (isSitemap(first)) return { ...first, notes: [], source: 'robots.txt' }
  const { found, failures } = await guess(
    reach,
    new URL(robots.robots_url).origin,
    new Set(namedSitemaps),
    maxUrls,
  )
  if (found) return { ...found, outcomes: [...first.outcomes, ...found.outcomes], notes: [], source: 'guess' }
  const outage = outageIn([first, ...failures])
  if (outage)
    throw new ToolError('upstream', `${outage.url} could not be read: ${outage.error}`, { retryable: true })
  const isHtml = failures.some(({ outcomes }) => outcomes.some(({ html }) => html))
  const message = 'robots.txt names no sitemap that can be read, and there is none at the usual places.'
  const notes = [{ code: 'no_sitemap', message }]
  if (isHtml)
    notes.push({ code: 'html', message: 'The site answers with pages of HTML where a sitemap would be.' })
  return { ...first, notes, source: null }
}
