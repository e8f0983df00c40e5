import type { Element } from '../../../lib/page/element.ts'
import type { PageView } from '../../../lib/page/extractor.ts'
import { absolute } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'
import { headReader } from '../language/head.ts'
import { readLinkHeader } from '../language/link-header.ts'

export type Canonical = {
  /** Absolute; null when it is no web address. */
  href: string | null
  rawHref: string
  source: 'link' | 'header'
  /** False for one in the body, which search engines leave out. */
  inHead: boolean
}

export type Canonicals = Canonical[]

const maxCanonicals = 10

const isCanonical = (rel: string | null | undefined) =>
  (rel ?? '').toLowerCase().split(/\s+/, 20).includes('canonical')

const toCanonical = (href: string, base: string) => ({
  href: absolute(href, base),
  rawHref: clean(href, 2048) ?? '',
})

/** The canonical addresses that a page and its `Link` header name. */
export const readCanonicals = (
  document: Element,
  base: string,
  { url, headers, markup }: Pick<PageView, 'url' | 'headers' | 'markup'>,
): Canonicals => {
  const isInHead = headReader(markup)
  const links = [...document.querySelectorAll('link[rel]')].filter(link =>
    isCanonical(link.getAttribute('rel')),
  )
  const inHeader = readLinkHeader(headers.link ?? '').filter(({ params }) => isCanonical(params.get('rel')))
  return [
    ...links.slice(0, maxCanonicals).map(link => ({
      ...toCanonical(link.getAttribute('href') ?? '', base),
      source: 'link' as const,
      inHead: isInHead(link),
    })),
    ...inHeader
      .slice(0, maxCanonicals)
      .map(({ href }) => ({ ...toCanonical(href, url), source: 'header' as const, inHead: true })),
  ]
}
