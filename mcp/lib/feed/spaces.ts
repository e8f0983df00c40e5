import type { LookUpPrefix } from './xml-reader.ts'

const groups: Readonly<Record<string, readonly string[]>> = {
  '': [
    'http://backend.userland.com/rss',
    'http://backend.userland.com/rss091',
    'http://backend.userland.com/rss2',
    'http://blogs.law.harvard.edu/tech/rss',
    'http://channel.netscape.com/rdf/simple/0.9',
    'http://cyber.law.harvard.edu/rss',
    'http://example.com/necho',
    'http://example.com/newformat#',
    'http://my.netscape.com/publish/formats/rss-0.91.dtd',
    'http://my.netscape.com/rdf/simple/0.9',
    'http://purl.org/atom/ns#',
    'http://purl.org/echo',
    'http://purl.org/net/rss1.1#',
    'http://purl.org/pie',
    'http://purl.org/rss/1.0',
    'http://purl.org/rss/1.0/modules/rss091#',
    'http://www.w3.org/2005/atom',
    'uri/of/echo/namespace#',
  ],
  content: ['http://purl.org/rss/1.0/modules/content'],
  dc: ['http://purl.org/dc/elements/1.0', 'http://purl.org/dc/elements/1.1'],
  dcterms: ['http://purl.org/dc/terms'],
  geo: ['http://www.w3.org/2003/01/geo/wgs84_pos#'],
  georss: [
    'http://www.georss.org/georss',
    'http://www.georss.org/georss/10',
    'http://www.georss.org/georss/11',
  ],
  gml: ['http://www.opengis.net/gml'],
  itunes: ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'http://example.com/dtds/podcast-1.0.dtd'],
  media: ['http://search.yahoo.com/mrss', 'http://video.search.yahoo.com/mrss'],
  rdf: ['http://www.w3.org/1999/02/22-rdf-syntax-ns#'],
  xhtml: ['http://www.w3.org/1999/xhtml'],
  xml: ['http://www.w3.org/xml/1998/namespace'],
}

const prefixes = new Map(
  Object.entries(groups).flatMap(([prefix, spaces]) => spaces.map(space => [space, prefix] as const)),
)

/**
 * The prefix by which this reader calls a namespace, whatever the feed calls it; that of RSS and Atom is none. Feeds write
 * them in any case, with and without the last slash.
 */
export const lookUpPrefix: LookUpPrefix = space =>
  prefixes.get(
    space
      .toLowerCase()
      .replace(/^https:/, 'http:')
      .replace(/\/$/, ''),
  )
