import { clean } from '../../text/clean.ts'
import { openCaptures } from '../capture.ts'
import type { Element } from '../element.ts'
import { extractor, type PageView } from '../extractor.ts'
import { baseOf } from '../link.ts'
import { walk } from '../walk.ts'
import { isMissing, openAnchors } from './anchors.ts'
import { type Kind, type Reference, referencesOf } from './reference.ts'
import { readTarget, type Skip } from './target.ts'

/** One address of a page, however often it is there. */
export type PageLink = {
  /** Absolute and without a fragment; as it is written, cut, when it is no web address. */
  url: string
  skip: Skip | 'no_address' | null
  /** What the first of them says: link text, else alternative text. */
  text: string | null
  /** Element that it was first found in. */
  foundIn: string
  kind: Kind
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

const most = { links: 1000, fragments: 10, text: 120 }

type Noted = PageLink & { spare: boolean }

const withoutHash = (address: string): string => {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

const name = (links: readonly Noted[], text: string) => {
  for (const link of links) link.text ??= clean(text, most.text)
}

const labelOf = (element: Element): string | null =>
  clean(element.getAttribute('alt') || element.getAttribute('title'), most.text)

/** All addresses of a page, each once, in the order of the page; variants of images last. */
export const pageLinks = extractor(
  import.meta.url,
  'pageLinks',
  ({ document, url }: PageView): PageLinks => {
    const base = baseOf(document, url)
    const self = withoutHash(url)
    const found = new Map<string, Noted>()
    const texts = openCaptures(most.text * 4)
    const anchors = openAnchors()

    const note = (element: Element, { href, kind, spare }: Reference): Noted | undefined => {
      const target = readTarget(href, base)
      const written = target.to === 'web' ? target.url : (clean(href, 200) ?? '')
      const key = target.to === 'web' ? written : `${target.to} ${written}`
      const skip = target.to === 'web' ? null : target.to === 'nowhere' ? 'no_address' : target.reason
      const link = found.get(key) ?? {
        url: written,
        skip,
        text: kind === 'page' ? null : labelOf(element),
        foundIn: element.localName,
        kind,
        count: 0,
        fragments: [],
        spare: spare === true,
      }
      found.set(key, link)
      link.count++
      if (!spare) link.spare = false
      const fragment = target.to === 'web' ? target.fragment : ''
      if (fragment && link.fragments.length < most.fragments && !link.fragments.includes(fragment))
        link.fragments.push(fragment)
      return link
    }

    walk(document, {
      enter(element) {
        anchors.see(element)
        const references = referencesOf(element).filter(
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

    const all = [...found.values()]
    const ordered = [...all.filter(link => !link.spare), ...all.filter(link => link.spare)]
    const own = found.get(self)?.fragments ?? []
    return {
      links: ordered.slice(0, most.links).map(({ spare: _, ...link }) => link),
      total: found.size,
      self,
      missing: own.filter(fragment => isMissing(anchors.names, fragment)),
    }
  },
  { heavy: true, ms: 6000 },
)
