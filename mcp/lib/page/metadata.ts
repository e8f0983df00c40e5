import { clean } from '../text/clean.ts'
import { toIsoUtc } from '../time.ts'
import type { Element } from './element.ts'
import { extractor, type PageView } from './extractor.ts'
import { absolute, baseOf, headerLink, linkOf } from './link.ts'
import { firstOf, type MetaTags, readMetaTags, tagsUnder } from './meta-tags.ts'

/** The title that a browser shows. */
export const titleOf = (document: Element): string | null => {
  for (const title of document.querySelectorAll('title')) {
    if (title.parentNode?.localName !== 'svg') return clean(title.textContent)
  }
  return null
}

/** The language as the page or the server declares it. */
export const langOf = (document: Element, tags: MetaTags, headers: Readonly<Record<string, string>>) => {
  const html = document.querySelector('html')
  const named = html?.getAttribute('lang') || html?.getAttribute('xml:lang')
  return clean(named, 35) ?? clean(firstOf(tags, 'content-language') ?? headers['content-language'], 35)
}

/** The target of a `meta` refresh: `5; url=/next`. */
const refreshOf = (tags: MetaTags, base: string): string | null => {
  const written = firstOf(tags, 'refresh')
  const target = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(written ?? '')?.[1]
  return absolute(target, base)
}

const imagesOf = (tags: MetaTags, base: string): string[] => {
  const written = ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']
  const all = written.flatMap(name => tags.get(name) ?? []).flatMap(href => absolute(href, base) ?? [])
  return [...new Set(all)]
}

/** What a page says about itself. What it does not say is null. */
export const metadata = extractor(import.meta.url, 'metadata', ({ document, url, headers }: PageView) => {
  const base = baseOf(document, url)
  const tags = readMetaTags(document)
  const published = firstOf(
    tags,
    'article:published_time',
    'datepublished',
    'date',
    'dc.date',
    'dcterms.created',
  )
  const images = imagesOf(tags, base)
  return {
    title:
      titleOf(document) ??
      firstOf(tags, 'og:title', 'twitter:title') ??
      clean(document.querySelector('h1')?.textContent),
    description: firstOf(tags, 'description', 'og:description', 'twitter:description'),
    canonical: linkOf(document, ['canonical'], base) ?? headerLink(headers.link, 'canonical', url),
    openGraph: tagsUnder(tags, 'og:', base),
    twitterCard: tagsUnder(tags, 'twitter:', base),
    favicon: linkOf(document, ['icon', 'apple-touch-icon', 'apple-touch-icon-precomposed'], base),
    lang: langOf(document, tags, headers),
    image: images[0] ?? null,
    images,
    siteName: firstOf(tags, 'og:site_name', 'application-name'),
    type: firstOf(tags, 'og:type'),
    author: firstOf(tags, 'author', 'article:author', 'twitter:creator'),
    publishedTime: toIsoUtc(published),
    publishedTimeRaw: published,
    robots: firstOf(tags, 'robots') ?? clean(headers['x-robots-tag']),
    refresh: refreshOf(tags, base),
  }
})
