import { absolute } from '../page/link.ts'
import { clean, oneLine } from '../text/clean.ts'
import type { Enclosure } from './feed.ts'
import { readElementText } from './text.ts'
import { childrenNamed, type Node, textIn } from './tree.ts'

/** Links and files of one item that are looked at. */
const maxListed = 50

const readRel = ({ attributes }: Node): string =>
  (attributes.rel ?? 'alternate')
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/www\.iana\.org\/assignments\/relation\//, '')

const isPage = ({ attributes: { type } }: Node) => !type || /html|text\/plain/i.test(type)

const writtenIn = ({ attributes: { href, url, uri } }: Node): string | undefined => href ?? url ?? uri

/** The address of a link, which RSS writes between the tags and Atom into an attribute. */
const readHref = (node: Node): string | null => absolute(writtenIn(node) ?? textIn(node), node.base)

/** Links with a relation, such as `alternate` or `enclosure`; without one a link is an alternate. */
const linksWithRel = (node: Node, rel: string): Node[] =>
  childrenNamed(node, 'link')
    .slice(0, maxListed)
    .filter(link => readRel(link) === rel)

/**
 * The page that a feed or an item is about: the text of its link in RSS, the alternate link in Atom (a page of HTML first),
 * absolute. Null when there is none.
 */
export const readLink = (node: Node): string | null => {
  const links = linksWithRel(node, 'alternate')
  const sorted = [...links.filter(link => !writtenIn(link)), ...links.filter(isPage), ...links]
  return sorted.flatMap(link => readHref(link) ?? [])[0] ?? null
}

const parseSize = (text: string | undefined): number | null =>
  text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null

/** Reads Media RSS of one file as a line; an Atom link has a title as an attribute. */
const textOfFile = (file: Node, name: string): string | null =>
  clean(childrenNamed(file, name).map(child => oneLine(readElementText(child, 'either')))[0], 1000)

/** Files that come with an item: enclosures of RSS and Atom, and Media RSS, each address once. */
export const readEnclosures = (node: Node): Enclosure[] => {
  const media = [node, ...childrenNamed(node, 'media:group')].flatMap(holder =>
    childrenNamed(holder, 'media:content').slice(0, maxListed),
  )
  const enclosures = new Map<string, Enclosure>()
  for (const file of [...childrenNamed(node, 'enclosure'), ...linksWithRel(node, 'enclosure'), ...media]) {
    const { type, length, filesize } = file.attributes
    const url = readHref(file)
    if (url === null || enclosures.has(url) || enclosures.size >= maxListed) continue
    enclosures.set(url, {
      url,
      type: clean(type, 100),
      length: parseSize(length ?? filesize),
      title: textOfFile(file, 'media:title') ?? clean(file.attributes.title, 500),
      description: textOfFile(file, 'media:description'),
    })
  }
  return [...enclosures.values()]
}

const isImage = ({ attributes: { medium, type } }: Node) => medium === 'image' || /^image\//i.test(type ?? '')

/** The picture of an item or a feed. */
export const readImage = (node: Node): string | null => {
  const groups = [node, ...childrenNamed(node, 'media:group', 'media:content').slice(0, maxListed)]
  const thumbnails = groups.flatMap(holder => childrenNamed(holder, 'media:thumbnail'))
  const pictures = groups.flatMap(holder => childrenNamed(holder, 'media:content')).filter(isImage)
  const files = [...childrenNamed(node, 'enclosure'), ...linksWithRel(node, 'enclosure')].filter(isImage)
  const ofPodcasts = childrenNamed(node, 'itunes:image', 'itunes:link').filter(
    element => element.name === 'itunes:image' || readRel(element) === 'image',
  )
  const linkedImages = [...ofPodcasts, ...thumbnails, ...pictures, ...files].flatMap(
    element => readHref(element) ?? [],
  )
  const textImages = [
    ...childrenNamed(node, 'image').flatMap(image => childrenNamed(image, 'url')),
    ...childrenNamed(node, 'logo', 'icon'),
  ]
  return (
    linkedImages[0] ?? textImages.flatMap(element => absolute(textIn(element), element.base) ?? [])[0] ?? null
  )
}
