import type { Element } from '../../../lib/page/element.ts'
import type { PageView } from '../../../lib/page/extractor.ts'
import { absolute } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'
import { headReader } from './head.ts'
import { readLinkHeader } from './link-header.ts'

/** A language version of a page, as the page or its `Link` header names it. */
export type Alternate = {
  hreflang: string
  /** Absolute; null when it is no web address. */
  href: string | null
  /** As it is written, cut. */
  rawHref: string
  source: 'link' | 'header'
  /** False for a `link` in the body, which search engines leave out. */
  inHead: boolean
}

const maxAlternates = 500

const feeds = /^application\/(?:rss|atom|feed|json)/i

const words = (text: string | null | undefined) => (text ?? '').toLowerCase().split(/\s+/, 20)

const isAlternate = (rel: string | null | undefined, type: string | null | undefined) =>
  words(rel).includes('alternate') && !words(rel).includes('stylesheet') && !feeds.test(type ?? '')

const toAlternate = (hreflang: string, href: string, base: string) => ({
  hreflang: clean(hreflang, 60) ?? '',
  href: absolute(href, base),
  rawHref: clean(href, 2048) ?? '',
})

const inDocument = (document: Element, base: string, isInHead: (link: Element) => boolean): Alternate[] =>
  [...document.querySelectorAll('link[rel][hreflang]')].flatMap(link => {
    if (!isAlternate(link.getAttribute('rel'), link.getAttribute('type'))) return []
    const { hreflang, ...rest } = toAlternate(
      link.getAttribute('hreflang') ?? '',
      link.getAttribute('href') ?? '',
      base,
    )
    return [{ hreflang, ...rest, source: 'link', inHead: isInHead(link) }]
  })

const inHeader = (header: string, url: string): Alternate[] =>
  readLinkHeader(header).flatMap(({ href, params }) => {
    const hreflang = params.get('hreflang')
    if (hreflang === undefined || !isAlternate(params.get('rel'), params.get('type'))) return []
    return [{ ...toAlternate(hreflang, href, url), source: 'header', inHead: true }]
  })

/** The language versions that a page names, in its order, those of the header last; at most 500, and how many there are. */
export const readAlternates = (
  document: Element,
  base: string,
  { url, headers, markup }: Pick<PageView, 'url' | 'headers' | 'markup'>,
): { alternates: Alternate[]; total: number } => {
  const all = [...inDocument(document, base, headReader(markup)), ...inHeader(headers.link ?? '', url)]
  return { alternates: all.slice(0, maxAlternates), total: all.length }
}
