import type { Element } from '../element.ts'

const maxUrls = 50

/** The end of a descriptor: the next comma outside brackets, which do not nest. */
const descriptorEnd = (text: string, from: number): number => {
  let isInside = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') isInside = true
    else if (text[at] === ')') isInside = false
    else if (text[at] === ',' && !isInside) return at
  }
  return text.length
}

const withoutCommas = (address: string): string => {
  let end = address.length
  while (address[end - 1] === ',') end--
  return address.slice(0, end)
}

/** The addresses of a `srcset`, at most 50. A comma may be part of an address (HTML standard, section 4.8.4.2.1). */
export const parseSrcset = (text: string): string[] => {
  const urls: string[] = []
  const candidate = /[\t\n\f\r ,]*([^\t\n\f\r ,][^\t\n\f\r ]*|$)/y
  for (let at = 0; at < text.length && urls.length < maxUrls; ) {
    candidate.lastIndex = at
    const address = candidate.exec(text)?.[1]
    if (!address) break
    const bare = withoutCommas(address)
    urls.push(bare)
    at = bare.length < address.length ? candidate.lastIndex : descriptorEnd(text, candidate.lastIndex)
  }
  return urls
}

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
