import { clean } from '../../text/clean.ts'
import { openCaptures } from '../capture.ts'
import type { Element } from '../element.ts'
import { extractor, type PageView } from '../extractor.ts'
import { readBase } from '../link.ts'
import { walk } from '../walk.ts'
import { isMissing, openAnchors } from './anchors.ts'
import { type LinkKind, type Reference, readReferences } from './reference.ts'
import { readTarget, type Skip } from './target.ts'

/** One address of a page, however often it is there. */
export type PageLink = {
  /** Absolute and without a fragment; as it is written, cut, when it is no web address. */
  url: string
  skip: Skip | 'no_address' | null
  /** Text of the first of them: link text, else alternative text. */
  text: string | null
  /** Element that it was first found in. */
  foundIn: string
  kind: LinkKind
  count: number
  /** Anchors that are pointed at, at most ten. */
  fragments: string[]
}

export type PageLinks = {
  links: PageLink[]
  total: number
  /** The page's own address and those of its anchors that do not exist. */
  self: string
  missing: string[]
}

const maxima = { links: 1000, fragments: 10, text: 120 }

type NotedLink = PageLink & { spare: boolean }

const withoutHash = (address: string): string => {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

const name = (links: readonly NotedLink[], text: string) => {
  for (const link of links) link.text ??= clean(text, maxima.text)
}

const readLabel = (element: Element): string | null =>
  clean(element.getAttribute('alt') || element.getAttribute('title'), maxima.text)

/** All addresses of a page, each once, in the order of the page; variants of images last. */
export const pageLinks = extractor(
  import.meta.url,
  'pageLinks',
  ({ document, url }: PageView): PageLinks => {
    const base = readBase(document, url)
    const self = withoutHash(url)
    const links = new Map<string, NotedLink>()
    const texts = openCaptures(maxima.text * 4)
    const anchors = openAnchors()

    const note = (element: Element, { href, kind, spare }: Reference): NotedLink | undefined => {
      const target = readTarget(href, base)
      const address = target.to === 'web' ? target.url : (clean(href, 200) ?? '')
      const key = target.to === 'web' ? address : `${target.to} ${address}`
      const skip = target.to === 'web' ? null : target.to === 'nowhere' ? 'no_address' : target.reason
      const link = links.get(key) ?? {
        url: address,
        skip,
        text: kind === 'page' ? null : readLabel(element),
        foundIn: element.localName,
        kind,
        count: 0,
        fragments: [],
        spare: spare === true,
      }
      links.set(key, link)
      link.count++
      if (!spare) link.spare = false
      const fragment = target.to === 'web' ? target.fragment : ''
      if (fragment && link.fragments.length < maxima.fragments && !link.fragments.includes(fragment))
        link.fragments.push(fragment)
      return link
    }

    walk(document, {
      enter(element) {
        anchors.see(element)
        const references = readReferences(element).filter(
          ({ href, kind }) => kind === 'page' || href.trim() !== '',
        )
        const links = references.flatMap(reference => note(element, reference) ?? [])
        if (element.localName === 'img') texts.add(` ${element.getAttribute('alt') ?? ''} `)
        const unnamed = links.filter(link => link.kind === 'page' && link.text === null)
        if (unnamed.length > 0) texts.begin(element, text => name(unnamed, text))
        return element.localName !== 'script' && element.localName !== 'style'
      },
      text: texts.add,
      leave: texts.end,
    })

    const all = [...links.values()]
    const ordered = [...all.filter(link => !link.spare), ...all.filter(link => link.spare)]
    const ownFragments = links.get(self)?.fragments ?? []
    return {
      links: ordered.slice(0, maxima.links).map(({ spare: _, ...link }) => link),
      total: links.size,
      self,
      missing: ownFragments.filter(fragment => isMissing(anchors.names, fragment)),
    }
  },
  { heavy: true, ms: 6000 },
)
