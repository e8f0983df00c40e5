import { clean } from '../text/clean.ts'
import { decodeFeed } from './decode.ts'
import type { Feed } from './feed.ts'
import { readJsonFeed } from './json-feed.ts'
import { readXmlFeed } from './xml-feed.ts'

/**
 * Address of a feed, the `Content-Type` and `Content-Language` it came with, items wanted (all), and whether their content is.
 */
export type FeedSource = {
  url: string
  contentType?: string
  language?: string | undefined
  limit?: number
  content?: boolean
}

/** Anything before the first tag is not of the feed: blank lines, byte order marks, warnings of PHP. */
const fromFirstTag = (text: string): string => {
  const start = text
    .slice(0, 65_536)
    .search(/<(?:\?xml|!--|!doctype|rss|rdf:|feed|channel|[\w-]{1,30}:|entry)/i)
  return start > 0 ? text.slice(start) : text
}

/**
 * Reads a feed of any kind: RSS 0.90 to 2.0, RDF, Atom 0.3 and 1.0, CDF, JSON Feed. Undefined when it is none. Bytes are
 * decoded as the feed, the server or the bytes themselves tell. Never throws, whatever it is given.
 */
export const readFeed = (input: Uint8Array | string, source: FeedSource): Feed | undefined => {
  const { url, contentType = '', language, limit = Number.POSITIVE_INFINITY, content = false } = source
  const text = typeof input === 'string' ? input : decodeFeed(input, contentType)
  const wishes = { url, limit, content }
  const start = text.slice(0, 1000).trimStart()
  const feed =
    start.startsWith('{') || start.startsWith('\ufeff{')
      ? readJsonFeed(text.replace(/^\ufeff/, ''), wishes)
      : readXmlFeed(fromFirstTag(text), wishes)
  // A list of languages says for whom it is, and not in which language it is written.
  const served = language?.includes(',') ? null : clean(language, 35)
  return feed && { ...feed, lang: feed.lang ?? served }
}

/** This module, for the worker that large feeds are read in. */
export const here = import.meta.url

/** The same with plain data, as a worker is asked for it. */
export const readFeedTask = ({ bytes, source }: { bytes: Uint8Array; source: FeedSource }): Feed | null =>
  readFeed(bytes, source) ?? null
