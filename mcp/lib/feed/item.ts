import { absolute } from '../page/link.ts'
import { clean, cleanLines, oneLine } from '../text/clean.ts'
import { readChanged, readPublished } from './dates.ts'
import type { FeedItem } from './feed.ts'
import { readEnclosures, readImage, readLink } from './links.ts'
import { type DefaultFormat, readElementText } from './text.ts'
import { childElements, childrenNamed, type Node, textIn } from './tree.ts'

const pointIn = (text: string | undefined): [number, number] | undefined => {
  const [lat, lon] = (text ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return lat !== undefined && lon !== undefined ? [lat, lon] : undefined
}

const deepText = (node: Node, name: string, levels: number): string | undefined => {
  for (const child of childElements(node)) {
    if (child.name === name) return textIn(child)
    const nested = levels > 0 ? deepText(child, name, levels - 1) : undefined
    if (nested !== undefined) return nested
  }
  return undefined
}

/** The place of an item: GeoRSS (simple or GML) or the W3C vocabulary, as decimal degrees; null when there is none. */
const readGeo = (node: Node): { lat: number; lon: number } | null => {
  const text = (name: string) => childrenNamed(node, name).map(textIn)[0]
  const point = childrenNamed(node, 'geo:point')[0]
  const holder = point ?? node
  const [latitude, longitude] = ['geo:lat', 'geo:long'].map(
    name => childrenNamed(holder, name).map(textIn)[0],
  )
  const where = childrenNamed(node, 'georss:where')[0]
  const coordinates =
    pointIn(text('georss:point')) ??
    pointIn(where && deepText(where, 'gml:pos', 2)) ??
    (latitude && longitude ? pointIn(`${latitude} ${longitude}`) : undefined)
  if (!coordinates) return null
  const [lat, lon] = coordinates
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null
}

const mail = /[^\s<>()@]{1,64}@[^\s<>()@]{1,250}/

/** The name in `jo@example.com (Jo)`, `Jo <jo@example.com>` or `Jo`; the address where there is only that. */
const nameIn = (content: string): string | null => {
  const text = clean(content, 200)
  const address = text && mail.exec(text)?.[0]
  if (!text || !address) return text
  const rest = text.replace(address, ' ').replace(/mailto:|[<>[\]]|^\W*\(|\)\W*$/gi, ' ')
  return clean(rest.replace(/[\s()|,;:-]+$/, '')) ?? address
}

const readPerson = (node: Node): string | null => {
  const [name, email] = ['name', 'email'].map(part => clean(childrenNamed(node, part).map(textIn)[0], 200))
  return (
    name ?? email ?? (childrenNamed(node, 'uri', 'url', 'homepage').length > 0 ? null : nameIn(textIn(node)))
  )
}

/** Reads the authors of an item or a feed, with commas between; null when nobody is named. */
const readAuthor = (node: Node): string | null => {
  for (const name of [
    'author',
    'dc:creator',
    'dc:author',
    'itunes:author',
    'managingeditor',
    'media:credit',
  ]) {
    const people = childrenNamed(node, name).flatMap(child => readPerson(child) ?? [])
    if (people.length > 0) return [...new Set(people)].slice(0, 10).join(', ')
  }
  return null
}

const maxSummary = 1000
const maxContent = 20_000
const maxCategories = 50
/** Media of one item that are looked at for its texts. */
const maxFiles = 20

const summaries = [
  'description',
  'summary',
  'abstract',
  'dc:description',
  'itunes:summary',
  'media:description',
  'itunes:subtitle',
  'googleplay:description',
  'subtitle',
  'tagline',
]
const contents = ['content:encoded', 'content', 'fullitem', 'body', 'xhtml:body', 'content:item', 'prodlink']

/** An item and what holds its media, whose texts stand for the item where it has none of its own. */
const mediaIn = (node: Node): Node[] => {
  const groups = childrenNamed(node, 'media:group')
  const files = [node, ...groups].flatMap(holder => childrenNamed(holder, 'media:content').slice(0, maxFiles))
  return [...groups, ...files]
}

/** The text of the first of an item's media that has one: plain, unless it says html (Media RSS). */
const mediaText = (node: Node, name: string): string | null =>
  mediaIn(node).reduce<string | null>((text, holder) => text ?? firstText(holder, [name], 'either'), null)

/** The first child with text under one of some names, as a text of several lines. */
const firstText = (node: Node, names: readonly string[], usual: DefaultFormat): string | null => {
  for (const child of childrenNamed(node, ...names)) {
    const text = isReadable(child) ? readElementText(child, usual) : ''
    if (text !== '') return text
  }
  return null
}

/** Content of another media type is not text, whatever stands there. */
const isReadable = ({ attributes: { type = '' } }: Node): boolean =>
  !type.includes('/') || /text|html|xml|octet-stream/i.test(type)

/** Categories of podcasts stand in each other, the narrower in the wider. */
const withNarrower = (category: Node): Node[] => [
  category,
  ...childrenNamed(category, 'itunes:category').flatMap(withNarrower),
]

const readCategories = (node: Node): string[] => {
  const elements = childrenNamed(node, 'category', 'dc:subject', 'media:category', 'itunes:category')
  const plain = elements
    .flatMap(withNarrower)
    .map(({ attributes: { label, term, text }, ...child }) => term || label || text || textIn(child as Node))
  const keywords = childrenNamed(node, 'itunes:keywords', 'media:keywords', 'keywords').flatMap(child =>
    textIn(child).slice(0, 2000).split(','),
  )
  const all = [...plain, ...keywords].flatMap(category => clean(category, 200) ?? [])
  return [...new Set(all)].slice(0, maxCategories)
}

const isAddress = (text: string) => /^https?:\/\//i.test(text)

/** An id that is an address and not said to be none leads to the item. */
const readPermalink = (node: Node): string | null => {
  const ids = childrenNamed(node, 'guid', 'id').filter(
    ({ attributes }) => attributes.ispermalink?.trim().toLowerCase() !== 'false',
  )
  const idTexts = [...ids.map(textIn), node.attributes['rdf:about'] ?? '']
  const url = idTexts.map(text => text.trim()).find(isAddress)
  return absolute(url ?? node.attributes.href, node.base)
}

/** The id of an item; that of Atom is an IRI, and a relative one is of the base in force (RFC 4287 §4.2.6, XML Base). */
const readId = (node: Node, isAtom: boolean): string | null => {
  const [element] = childrenNamed(node, 'guid', 'id', 'dc:identifier')
  const id = clean(element ? textIn(element) : node.attributes['rdf:about'], 500)
  const isRelative = isAtom && element?.name === 'id' && id !== null && /^[^:]*\//.test(id)
  return (isRelative ? absolute(id, element.base) : null) ?? id
}

/** Reads one item, entry or news of a feed. `usual` is what its titles and summaries are when they do not say. */
export const readItem = (node: Node, isAtom: boolean, withContent: boolean): FeedItem => {
  const title = isAtom ? 'text' : 'either'
  const body = isAtom ? 'text' : 'html'
  const content = firstText(node, contents, body)
  const summary =
    firstText(node, summaries, body) ??
    content ??
    mediaText(node, 'media:description') ??
    mediaText(node, 'media:text')
  const { date, raw } = readPublished(node)
  const heading =
    firstText(node, ['title', 'dc:title', 'media:title', 'itunes:title'], title) ??
    mediaText(node, 'media:title')
  return {
    title: clean(heading && oneLine(heading), 500),
    link: readLink(node) ?? readPermalink(node),
    date,
    date_raw: raw,
    updated: readChanged(node),
    summary: clean(summary && oneLine(summary), maxSummary),
    ...(withContent && { content: cleanLines(content ?? summary, maxContent) }),
    author: readAuthor(node),
    id: readId(node, isAtom),
    categories: readCategories(node),
    enclosures: readEnclosures(node),
    image: readImage(node),
    geo: readGeo(node),
  }
}
