import type { Element } from '../page/element.ts'
import { extractor, type PageView } from '../page/extractor.ts'
import { absolute, headerLink, readBase } from '../page/link.ts'

const feedTypes =
  /^\s*(?:application\/(?:rss|atom|rdf|feed)\+(?:xml|json)|application\/feed\+json|text\/(?:rss|atom)\+xml)/i

const feedAddress =
  /\/(?:feed|rss|atom|index)(?:\.xml|\.json|\.rdf)?\/?$|\.(?:rss|atom|rdf)$|\/(?:feed|rss)\//i

const hasWord = (element: Element, attribute: string, word: string): boolean =>
  (element.getAttribute(attribute) ?? '').toLowerCase().split(/\s+/).includes(word)

/** Feeds of comments are seldom what is wanted. */
const isComments = (element: Element): boolean =>
  /comment/i.test(`${element.getAttribute('title') ?? ''} ${element.getAttribute('href') ?? ''}`)

/** Addresses of feeds that a page names, the likeliest first: declared ones, then links that look like feeds. */
export const pageFeeds = extractor(
  import.meta.url,
  'pageFeeds',
  ({ document, url, headers }: PageView): string[] => {
    const base = readBase(document, url)
    const candidates = [...document.querySelectorAll('link[rel][href]')].filter(
      link =>
        hasWord(link, 'rel', 'feed') ||
        (hasWord(link, 'rel', 'alternate') && feedTypes.test(link.getAttribute('type') ?? '')),
    )
    const anchors = [...document.querySelectorAll('a[href]')].filter(anchor =>
      feedAddress.test(anchor.getAttribute('href') ?? ''),
    )
    const all = [...candidates, ...anchors.slice(0, 20)]
    const sorted = [...all.filter(element => !isComments(element)), ...all.filter(isComments)]
    const urls = sorted.flatMap(element => absolute(element.getAttribute('href'), base) ?? [])
    const linked = feedTypes.test(/type="?([^";,]+)/i.exec(headers.link ?? '')?.[1] ?? '')
      ? headerLink(headers.link, 'alternate', url)
      : null
    return [...new Set([...(linked ? [linked] : []), ...urls])].slice(0, 10)
  },
)
