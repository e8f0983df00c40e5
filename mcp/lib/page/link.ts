import type { Element } from './element.ts'

/** The address that relative ones on a page start from: its `base`, resolved against where the page is (HTML §2.4.2). */
export const readBase = (document: Element, pageUrl: string): string => {
  const href = document.querySelector('base[href]')?.getAttribute('href')?.trim()
  if (!href || !URL.canParse(href, pageUrl)) return pageUrl
  const base = new URL(href, pageUrl)
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : pageUrl
}

/** An address on a page as an absolute http or https URL of at most 2,048 characters; null when it is none. */
export const absolute = (href: string | null | undefined, base: string): string | null => {
  const text = href?.trim()
  if (!text || text.length > 2048 || !URL.canParse(text, base)) return null
  const url = new URL(text, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
}

/** The first `link` whose `rel` holds one of some words, in the order of the words. */
export const findLink = (document: Element, words: readonly string[], base: string): string | null => {
  const links = [...document.querySelectorAll('link[rel][href]')].map(link => ({
    rel: (link.getAttribute('rel') ?? '').toLowerCase().split(/\s+/),
    url: absolute(link.getAttribute('href'), base),
  }))
  for (const word of words) {
    const link = links.find(({ rel, url }) => url !== null && rel.includes(word))
    if (link) return link.url
  }
  return null
}

/** The address of a `Link` header (RFC 8288) with a relation. */
export const headerLink = (header: string | undefined, rel: string, base: string): string | null => {
  for (const [, href, params = ''] of (header ?? '').matchAll(/<([^<>]{1,2048})>([^<]{0,500})/g)) {
    const rels = /;\s{0,8}rel\s{0,8}=\s{0,8}"?([^";,]{1,100})/i.exec(params)?.[1] ?? ''
    if (rels.toLowerCase().split(/\s+/).includes(rel)) return absolute(href, base)
  }
  return null
}
