import { clean } from '../text/clean.ts'
import type { Element } from './element.ts'
import { extractor, type PageView } from './extractor.ts'
import { absolute, findLink, headerLink, readBase } from './link.ts'
import { firstValue, type MetaTags, readMetaTags, tagsUnder } from './meta-tags.ts'
import { readPublication } from './publication.ts'

/** The title that a browser shows. */
export const readTitle = (document: Element): string | null => {
  for (const title of document.querySelectorAll('title')) {
    if (title.parentNode?.localName !== 'svg') return clean(title.textContent)
  }
  return null
}

/** The language as the page or the server declares it. */
export const readLang = (document: Element, tags: MetaTags, headers: Readonly<Record<string, string>>) => {
  const html = document.querySelector('html')
  const attribute = html?.getAttribute('lang') || html?.getAttribute('xml:lang')
  return (
    clean(attribute, 35) ?? clean(firstValue(tags, 'content-language') ?? headers['content-language'], 35)
  )
}

/** The target of a `meta` refresh: `5; url=/next`. */
const readRefresh = (tags: MetaTags, base: string): string | null => {
  const header = firstValue(tags, 'refresh')
  const target = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(header ?? '')?.[1]
  return absolute(target, base)
}

const readImages = (tags: MetaTags, base: string): string[] => {
  const names = ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']
  const all = names.flatMap(name => tags.get(name) ?? []).flatMap(href => absolute(href, base) ?? [])
  return [...new Set(all)]
}

/** What a page says about itself. What it does not say is null. */
export const metadata = extractor(import.meta.url, 'metadata', ({ document, url, headers }: PageView) => {
  const base = readBase(document, url)
  const tags = readMetaTags(document)
  const publication = readPublication(document, tags)
  const images = readImages(tags, base)
  return {
    title:
      readTitle(document) ??
      firstValue(tags, 'og:title', 'twitter:title') ??
      clean(document.querySelector('h1')?.textContent),
    description: firstValue(tags, 'description', 'og:description', 'twitter:description'),
    canonical: findLink(document, ['canonical'], base) ?? headerLink(headers.link, 'canonical', url),
    openGraph: tagsUnder(tags, 'og:', base),
    twitterCard: tagsUnder(tags, 'twitter:', base),
    favicon: findLink(document, ['icon', 'apple-touch-icon', 'apple-touch-icon-precomposed'], base),
    lang: readLang(document, tags, headers),
    image: images[0] ?? null,
    images,
    siteName: firstValue(tags, 'og:site_name', 'application-name') ?? publication.publisher,
    type: firstValue(tags, 'og:type'),
    ...publication,
    robots: firstValue(tags, 'robots') ?? clean(headers['x-robots-tag']),
    refresh: readRefresh(tags, base),
  }
})

/** The metadata of what is no page. */
export const emptyMetadata: Awaited<ReturnType<typeof metadata.read>> = {
  title: null,
  description: null,
  canonical: null,
  openGraph: null,
  twitterCard: null,
  favicon: null,
  lang: null,
  image: null,
  images: [],
  siteName: null,
  type: null,
  author: null,
  authors: [],
  publisher: null,
  publishedTime: null,
  publishedTimeRaw: null,
  modifiedTime: null,
  robots: null,
  refresh: null,
}
