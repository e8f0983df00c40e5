import { openXmlReader, type XmlReader } from '../../../lib/feed/xml-reader.ts'
import { blankEntry, type SitemapEntry } from './entry.ts'

/** Type that a file turned out to be. `index` names further sitemaps, `other` is none at all. */
export type MapType = 'urlset' | 'index' | 'rss' | 'atom' | 'text' | 'html' | 'other'

export type MapEvents = {
  type(type: MapType): void
  entry(entry: SitemapEntry): void
}

const prefixes: Readonly<Record<string, string>> = {
  'http://www.google.com/schemas/sitemap-image/1.1': 'image',
  'http://www.google.com/schemas/sitemap-video/1.1': 'video',
  'http://www.google.com/schemas/sitemap-news/0.9': 'news',
  'http://www.google.com/schemas/sitemap-mobile/1.0': 'mobile',
  'http://www.w3.org/1999/xhtml': 'xhtml',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.w3.org/2005/Atom': '',
}

/** Elements of the protocol go by their local names, in whichever of its namespaces, or none, they are written. */
const findPrefix = (space: string): string | undefined => {
  if (/sitemaps?\.org|google\.com\/schemas\/sitemap\/|purl\.org\/rss/.test(space)) return ''
  return prefixes[space]
}

const roots: Readonly<Record<string, MapType>> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  rss: 'rss',
  'rdf:rdf': 'rss',
  channel: 'rss',
  feed: 'atom',
  html: 'html',
  'xhtml:html': 'html',
}

/** Elements that hold an address, by what the file is. */
const holders = new Set(['url', 'sitemap', 'item', 'entry'])

const field: Readonly<Record<string, 'loc' | 'lastmod' | 'changefreq' | 'priority'>> = {
  loc: 'loc',
  lastmod: 'lastmod',
  changefreq: 'changefreq',
  priority: 'priority',
  pubdate: 'lastmod',
  updated: 'lastmod',
  'dc:date': 'lastmod',
}

/** Reads the XML of a sitemap, an index of sitemaps, or a feed that serves as one, an entry at a time. */
export const openMapReader = (events: MapEvents): XmlReader => {
  const path: string[] = []
  let entry: SitemapEntry | undefined
  let text = ''

  const readAttributes = (name: string, attributes: Readonly<Record<string, string>>) => {
    if (!entry) return
    if (name === 'image:image') entry.images++
    if (name === 'video:video') entry.videos++
    const { rel = 'alternate', href, hreflang } = attributes
    if (name === 'link' && href && entry.loc === '' && rel === 'alternate') entry.loc = href
    if (name === 'xhtml:link' && href && hreflang && entry.alternates.length < 200)
      entry.alternates.push({ lang: hreflang, href })
  }

  const reader = openXmlReader(
    {
      open(name, attributes) {
        if (path.length === 0) events.type(roots[name] ?? 'other')
        path.push(name)
        text = ''
        if (holders.has(name)) entry = blankEntry()
        else readAttributes(name, attributes)
      },
      text(more) {
        if (text.length < 4096) text += more
      },
      close() {
        const name = path.pop() ?? ''
        if (!entry) return
        const key = field[name] ?? (name === 'link' ? 'loc' : undefined)
        const content = text.trim()
        const isOwn = holders.has(path.at(-1) ?? '')
        if (key && isOwn && content !== '') entry[key] ||= content
        text = ''
        if (!holders.has(name)) return
        if (entry.loc !== '') events.entry(entry)
        entry = undefined
      },
    },
    findPrefix,
  )
  return reader
}
