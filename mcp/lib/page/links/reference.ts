import type { Element } from '../element.ts'
import { parseSrcset } from './srcset.ts'

export const kinds = ['page', 'image', 'script', 'style', 'icon', 'frame', 'media', 'other'] as const

/** A browser's use of the address. */
export type LinkKind = (typeof kinds)[number]

/** An address as an element writes it; `spare` ones are variants that a browser may never ask for. */
export type Reference = { href: string; kind: LinkKind; spare?: true }

const linkKinds: Readonly<Record<string, LinkKind>> = {
  stylesheet: 'style',
  icon: 'icon',
  'apple-touch-icon': 'icon',
  'apple-touch-icon-precomposed': 'icon',
  'mask-icon': 'icon',
  manifest: 'other',
  canonical: 'other',
}

const kindOfRel = (rel: string): LinkKind | undefined => {
  for (const word of rel.toLowerCase().split(/\s+/, 20))
    if (Object.hasOwn(linkKinds, word)) return linkKinds[word]
  return undefined
}

type Attribute = readonly [name: string, kind: LinkKind]

const attributes: Readonly<Record<string, readonly Attribute[]>> = {
  a: [
    ['href', 'page'],
    ['xlink:href', 'page'],
  ],
  area: [['href', 'page']],
  iframe: [['src', 'frame']],
  frame: [['src', 'frame']],
  script: [['src', 'script']],
  img: [['src', 'image']],
  image: [
    ['href', 'image'],
    ['xlink:href', 'image'],
  ],
  video: [
    ['src', 'media'],
    ['poster', 'image'],
  ],
  audio: [['src', 'media']],
  track: [['src', 'media']],
  embed: [['src', 'other']],
  object: [['data', 'other']],
}

const variants = (element: Element): Reference[] =>
  parseSrcset(element.getAttribute('srcset') ?? '').map(href => ({ href, kind: 'image', spare: true }))

const plain = (element: Element, list: readonly Attribute[]): Reference[] =>
  list.flatMap(([name, kind]) => {
    const href = element.getAttribute(name)
    return href === null ? [] : [{ href, kind }]
  })

/** The addresses that an element refers to; none for most elements. */
export const readReferences = (element: Element): Reference[] => {
  const name = element.localName
  if (name === 'link') {
    const kind = kindOfRel(element.getAttribute('rel') ?? '')
    return kind ? plain(element, [['href', kind]]) : []
  }
  if (name === 'input')
    return element.getAttribute('type')?.toLowerCase() === 'image' ? plain(element, [['src', 'image']]) : []
  if (name === 'source') {
    const isPicture = element.parentNode?.localName === 'picture'
    return isPicture ? variants(element) : plain(element, [['src', 'media']])
  }
  const references = Object.hasOwn(attributes, name) ? plain(element, attributes[name] ?? []) : []
  return name === 'img' ? [...references, ...variants(element)] : references
}
