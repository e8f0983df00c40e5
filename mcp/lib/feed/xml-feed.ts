import * as z from 'zod'
import { factTable, words } from '../facts.ts'
import { absolute } from '../page/link.ts'
import { clean, oneLine } from '../text/clean.ts'
import { readUpdated } from './dates.ts'
import type { Feed, FeedItem, FeedOptions } from './feed.ts'
import { readItem } from './item.ts'
import { readLink } from './links.ts'
import { readElementText } from './text.ts'
import { childElements, childrenNamed, type Node, readTree, textIn } from './tree.ts'
import { unique } from './unique.ts'
import type { LookUpPrefix } from './xml-reader.ts'

const prefixes = factTable(
  new URL('./data/namespaces.json', import.meta.url),
  z
    .record(z.string(), words)
    .transform(
      groups =>
        new Map(
          Object.entries(groups).flatMap(([prefix, spaces]) => spaces.map(space => [space, prefix] as const)),
        ),
    ),
)

/**
 * The prefix by which this reader calls a namespace, whatever the feed calls it; that of RSS and Atom is none. Feeds write
 * them in any case, with and without the last slash.
 */
const lookUpPrefix: LookUpPrefix = space =>
  prefixes().get(
    space
      .toLowerCase()
      .replace(/^https:/, 'http:')
      .replace(/\/$/, ''),
  )

/** Items that are looked at; a feed with more is an archive. */
const maxItems = 20_000

const rssVersion = (version: string | undefined): string => {
  const release = /^\s*(?:rss\s*)?(0\.9[0-9]{0,2}|1\.[01]|2\.0)/i.exec(version ?? '')?.[1]
  return release ? `rss ${release}` : 'rss'
}

/** Detects a document's feed format and the element that holds its facts; undefined when it is none. */
const detectFormat = (root: Node): { format: string; head: Node } | undefined => {
  const { name, space, attributes } = root
  const channel = childrenNamed(root, 'channel')[0]
  if (name === 'feed') {
    const isOld = /purl\.org\/atom\/ns#/i.test(space) || attributes.version === '0.3'
    const isAtom = isOld || /2005\/atom/i.test(space)
    return { format: isAtom ? `atom ${isOld ? '0.3' : '1.0'}` : 'atom', head: root }
  }
  if (name === 'entry' && /atom/i.test(space)) return { format: 'atom 1.0', head: root }
  if (name === 'rdf:rdf') {
    const uses = (channel ?? childrenNamed(root, 'item')[0])?.space ?? ''
    if (!channel && childrenNamed(root, 'item').length === 0) return undefined
    return { format: /rdf\/simple\/0\.9/i.test(uses) ? 'rss 0.90' : 'rss 1.0', head: channel ?? root }
  }
  if (name === 'rss') return { format: rssVersion(attributes.version), head: channel ?? root }
  if (name !== 'channel') return undefined
  const isCdf =
    attributes.href !== undefined ||
    attributes.lastmod !== undefined ||
    childElements(root).some(({ attributes }) => attributes.href)
  return { format: isCdf ? 'cdf' : 'rss', head: root }
}

const itemsIn = (node: Node): Node[] => childrenNamed(node, 'item', 'entry', 'rss:item')

const readLang = (root: Node, head: Node): string | null =>
  clean(
    (
      childrenNamed(head, 'language', 'dc:language').map(textIn)[0] ??
      head.lang ??
      root.attributes['xml:lang']
    )?.replaceAll('_', '-'),
    35,
  )

/**
 * Reads a feed in XML: RSS 0.90 to 2.0, RDF, Atom 0.3 and 1.0, CDF. Undefined when the text is something else. Of the
 * entities that a document declares only its own are expanded, within bounds, and nothing is read more than 100 levels deep.
 */
export const readXmlFeed = (text: string, { url, limit, content }: FeedOptions): Feed | undefined => {
  const { root: document, cut } = readTree(text, url, lookUpPrefix)
  const root = childElements(document)[0]
  const kind = root && detectFormat(root)
  if (!root || !kind) return undefined
  const { format, head } = kind
  const isAtom = format.startsWith('atom')
  const allItems =
    root.name === 'entry'
      ? [root]
      : [
          ...itemsIn(head),
          ...(head === root ? [] : itemsIn(root)),
          ...childrenNamed(root, 'items').flatMap(itemsIn),
        ]
  const nodes = allItems.slice(0, maxItems)
  const { kept: distinct, duplicates } = unique(nodes, node => itemKey(node))
  const items: FeedItem[] = distinct.slice(0, limit).map(node => readItem(node, isAtom, content))
  const line = (usual: 'text' | 'either' | 'html', ...names: string[]) => {
    const texts = childrenNamed(head, ...names).map(node => oneLine(readElementText(node, usual)).trim())
    return clean(
      texts.find(candidate => candidate !== ''),
      1000,
    )
  }
  return {
    format,
    title: line(isAtom ? 'text' : 'either', 'title', 'dc:title', 'media:title', 'itunes:title'),
    link: readLink(head) ?? absolute(head.attributes.href, head.base),
    description: line(
      isAtom ? 'text' : 'html',
      'description',
      'subtitle',
      'tagline',
      'abstract',
      'dc:description',
      'itunes:summary',
      'itunes:subtitle',
      'info',
    ),
    lang: readLang(root, head),
    updated: readUpdated(head),
    items,
    total: distinct.length,
    duplicates,
    cut: cut || allItems.length > nodes.length,
  }
}

/** Items with the same id, link and title are one. */
const itemKey = (node: Node): string | undefined => {
  const parts = ['guid', 'id', 'link', 'title'].map(
    name => childrenNamed(node, name).map(part => part.attributes.href ?? textIn(part))[0] ?? '',
  )
  return parts.every(part => part === '') ? undefined : parts.join('\n')
}
