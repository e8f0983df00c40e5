import { absolute } from '../page/link.ts'
import { clean } from '../text/clean.ts'
import type { Enclosure } from './feed.ts'
import { childrenOf, type Node, textIn } from './tree.ts'

/** Links and files of one item that are looked at. */
const maxListed = 50

const relOf = ({ attributes }: Node): string =>
  (attributes.rel ?? 'alternate')
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/www\.iana\.org\/assignments\/relation\//, '')

const isPage = ({ attributes: { type } }: Node) => !type || /html|text\/plain/i.test(type)

const writtenIn = ({ attributes: { href, url, uri } }: Node): string | undefined => href ?? url ?? uri

/** The address of a link, which RSS writes between the tags and Atom into an attribute. */
const hrefOf = (node: Node): string | null => absolute(writtenIn(node) ?? textIn(node), node.base)

/** Links with a relation, such as `alternate` or `enclosure`; without one a link is an alternate. */
const linksOf = (node: Node, rel: string): Node[] =>
  childrenOf(node, 'link')
    .slice(0, maxListed)
    .filter(link => relOf(link) === rel)

/**
 * The page that a feed or an item is about: the text of its link in RSS, the alternate link in Atom (a page of HTML first),
 * absolute. Null when there is none.
 */
export const linkOf = (node: Node): string | null => {
  const links = linksOf(node, 'alternate')
  const sorted = [...links.filter(link => !writtenIn(link)), ...links.filter(isPage), ...links]
  return sorted.flatMap(link => hrefOf(link) ?? [])[0] ?? null
}

const sizeOf = (written: string | undefined): number | null =>
  written !== undefined && /^\s*\d{1,15}\s*$/.test(written) ? Number(written) : null

/** Files that come with an item: enclosures of RSS and Atom, and Media RSS, each address once. */
export const enclosuresOf = (node: Node): Enclosure[] => {
  const media = [node, ...childrenOf(node, 'media:group')].flatMap(holder =>
    childrenOf(holder, 'media:content').slice(0, maxListed),
  )
  const found = new Map<string, Enclosure>()
  for (const file of [...childrenOf(node, 'enclosure'), ...linksOf(node, 'enclosure'), ...media]) {
    const { type, length, filesize } = file.attributes
    const url = hrefOf(file)
    if (url === null || found.has(url) || found.size >= maxListed) continue
    found.set(url, { url, type: clean(type, 100), length: sizeOf(length ?? filesize) })
  }
  return [...found.values()]
}

const isImage = ({ attributes: { medium, type } }: Node) => medium === 'image' || /^image\//i.test(type ?? '')

/** The picture of an item or a feed. */
export const imageOf = (node: Node): string | null => {
  const groups = [node, ...childrenOf(node, 'media:group', 'media:content').slice(0, maxListed)]
  const thumbnails = groups.flatMap(holder => childrenOf(holder, 'media:thumbnail'))
  const pictures = groups.flatMap(holder => childrenOf(holder, 'media:content')).filter(isImage)
  const files = [...childrenOf(node, 'enclosure'), ...linksOf(node, 'enclosure')].filter(isImage)
  const named = [...childrenOf(node, 'itunes:image'), ...thumbnails, ...pictures, ...files].flatMap(
    found => hrefOf(found) ?? [],
  )
  const written = [
    ...childrenOf(node, 'image').flatMap(image => childrenOf(image, 'url')),
    ...childrenOf(node, 'logo', 'icon'),
  ]
  return named[0] ?? written.flatMap(found => absolute(textIn(found), found.base) ?? [])[0] ?? null
}
