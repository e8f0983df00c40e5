import { absolute } from '../page/link.ts'
import { clean, cleanLines, oneLine } from '../text/clean.ts'
import { readChanged, readPublished } from './dates.ts'
import type { Item } from './feed.ts'
import { readGeo } from './geo.ts'
import { readEnclosures, readImage, readLink } from './links.ts'
import { readAuthor } from './people.ts'
import { type DefaultFormat, readText } from './text.ts'
import { childrenNamed, type Node, textIn } from './tree.ts'

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
    const text = isReadable(child) ? readText(child, usual) : ''
    if (text !== '') return text
  }
  return null
}

/** Content of another media type is not text, whatever stands there. */
const isReadable = ({ attributes: { type = '' } }: Node): boolean =>
  !type.includes('/') || /text|html|xml|octet-stream/i.test(type)

const readCategories = (node: Node): string[] => {
  const plain = childrenNamed(node, 'category', 'dc:subject', 'media:category', 'itunes:category').map(
    ({ attributes: { label, term, text }, ...child }) => label || term || text || textIn(child as Node),
  )
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

/** Reads one item, entry or news of a feed. `usual` is what its titles and summaries are when they do not say. */
export const readItem = (node: Node, isAtom: boolean, withContent: boolean): Item => {
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
  const ids = childrenNamed(node, 'guid', 'id', 'dc:identifier').map(textIn)
  return {
    title: clean(heading && oneLine(heading), 500),
    link: readLink(node) ?? readPermalink(node),
    date,
    dateRaw: raw,
    updated: readChanged(node),
    summary: clean(summary && oneLine(summary), maxSummary),
    ...(withContent && { content: cleanLines(content ?? summary, maxContent) }),
    author: readAuthor(node),
    id: clean(ids[0] ?? node.attributes['rdf:about'], 500),
    categories: readCategories(node),
    enclosures: readEnclosures(node),
    image: readImage(node),
    geo: readGeo(node),
  }
}
