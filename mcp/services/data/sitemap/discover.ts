import { ToolError } from '../../../kernel/error.ts'
import { absolute } from '../../../lib/page/link.ts'
import type { Note } from '../meta.ts'
import { directivesIn, readLines } from '../robots/directive.ts'
import { fetchRobots } from '../robots/fetch-robots.ts'
import { textOf } from '../robots/line.ts'
import { type Crawl, crawl } from './crawl.ts'
import type { Reach } from './read-file.ts'

/** Where sitemaps lie when robots.txt names none. */
const usual = [
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/sitemap-index.xml',
  '/wp-sitemap.xml',
  '/sitemap.xml.gz',
]

const mostNamed = 50

export type Discovery = Crawl & { notes: Note[]; source: 'robots.txt' | 'guess' | 'input' | null }

const isSitemap = ({ outcomes }: Crawl) => outcomes.some(({ file }) => file.type !== null)

const outageIn = (crawls: readonly Crawl[]) =>
  crawls.flatMap(({ outcomes }) => outcomes).find(({ outage }) => outage)?.file

const nothing: Crawl = { outcomes: [], urls: [], totalFound: 0, cut: null }

/** Tries the usual places, one after the other, until one is a sitemap. */
const guess = async (reach: Reach, origin: string, tried: ReadonlySet<string>, wanted: number) => {
  const failures: Crawl[] = []
  for (const path of usual) {
    const url = origin + path
    if (tried.has(url)) continue
    const found = await crawl(reach, [url], wanted)
    if (isSitemap(found)) return { found, failures }
    failures.push(found)
  }
  return { found: undefined, failures }
}

/**
 * Finds the sitemaps of a host, by its robots.txt or at the usual places, and reads them. Throws a retryable `upstream`
 * when the host does not answer, or nothing was found and one that may be a sitemap failed for now.
 */
export const discover = async (reach: Reach, host: string, wanted: number): Promise<Discovery> => {
  const robots = await fetchRobots(reach.fetch, host, reach.signal)
  if (robots.status === null)
    throw new ToolError('upstream', `${host} does not answer over https or http.`, { retryable: true })
  const named = directivesIn(readLines(robots.body)).flatMap(({ field, value }) =>
    field === 'sitemap' ? (absolute(textOf(value), robots.finalUrl) ?? []) : [],
  )
  const first = named.length > 0 ? await crawl(reach, named.slice(0, mostNamed), wanted) : nothing
  if (isSitemap(first)) return { ...first, notes: [], source: 'robots.txt' }
  const { found, failures } = await guess(reach, new URL(robots.robotsUrl).origin, new Set(named), wanted)
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
