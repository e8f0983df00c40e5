import { clean } from '../text/clean.ts'
import type { Element } from './element.ts'
import { extractor, type PageView } from './extractor.ts'
import { mainHeading } from './heading.ts'
import { absolute, findLink, headerLink, readBase } from './link.ts'
import { lookUp } from './lookup.ts'
import { firstValue, type MetaTags, readMetaTags, tagsUnder } from './meta-tags.ts'
import {
  firstWords,
  isPlaceholderTitle,
  readArticleImage,
  readPageFacts,
  readSiteInTitle,
  reconcileTitles,
  wholeText,
} from './page-facts.ts'
import { readNodes, readPublication } from './publication.ts'

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

const shareImages = ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']
const otherImages = [
  'parsely-image-url',
  'sailthru.image.full',
  'sailthru.image.thumb',
  'thumbnail',
  'image',
  'rbimage',
  'og:image:src',
]

const absoluteTags = (tags: MetaTags, names: readonly string[], base: string): string[] =>
  names.flatMap(name => tags.get(name) ?? []).flatMap(href => absolute(href, base) ?? [])

/** An address that a page tells of itself; the front page is none for a page below it. */
const ownAddress = (href: string | null, base: string, url: string): string | null => {
  const address = absolute(href ?? undefined, base)
  if (address === null) return null
  return new URL(address).pathname === '/' && new URL(url).pathname !== '/' ? null : address
}

/** Facts of a page about itself. What it does not say is null. */
export const metadata = extractor(
  import.meta.url,
  'metadata',
  ({ document: page, url, headers }: PageView) => {
    const document = lookUp(page)
    const base = readBase(document, url)
    const tags = readMetaTags(document)
    const nodes = readNodes(document)
    const facts = readPageFacts(document, nodes, base)
    const publication = readPublication(document, tags, nodes, url)
    const heading = clean(mainHeading(document)?.textContent)
    const title = readTitle(document)
    const shared = firstWords(tags, 'og:title', 'twitter:title')
    const statedTitle =
      shared ??
      facts.headline ??
      firstWords(tags, 'dc.title', 'dcterms.title', 'citation_title', 'parsely-title', 'sailthru.title')
    const named =
      firstWords(tags, 'og:site_name', 'application-name') ??
      facts.site_name ??
      firstWords(tags, 'apple-mobile-web-app-title')
    const siteName =
      named ??
      publication.publisher ??
      firstWords(tags, 'citation_journal_title') ??
      readSiteInTitle(title, [shared, facts.headline, statedTitle, heading])
    const sayingTitle = [title, statedTitle].map(each =>
      each !== null && isPlaceholderTitle(each, named) ? null : each,
    )
    const sharedWords = firstWords(tags, 'og:description', 'twitter:description')
    const ownWords = firstWords(tags, 'description')
    const linkImage = absolute(document.querySelector('link[rel~="image_src"]')?.getAttribute('href'), base)
    const declared = [
      ...absoluteTags(tags, shareImages, base),
      ...facts.images,
      ...(linkImage === null ? [] : [linkImage]),
      ...absoluteTags(tags, otherImages, base),
    ]
    const articleImage = declared.length > 0 ? null : readArticleImage(document, base)
    const images = [...new Set(articleImage === null ? declared : [articleImage])]
    return {
      title:
        reconcileTitles({ title: sayingTitle[0] ?? null, stated: sayingTitle[1] ?? null, heading }) ?? title,
      description:
        (sharedWords !== null && ownWords !== null
          ? wholeText(sharedWords, ownWords)
          : (sharedWords ?? ownWords)) ??
        facts.description ??
        firstWords(
          tags,
          'dc.description',
          'dcterms.description',
          'dcterms.abstract',
          'sailthru.description',
          'citation_abstract',
          'parsely-description',
        ),
      canonical:
        findLink(document, ['canonical'], base) ??
        headerLink(headers.link, 'canonical', url) ??
        ownAddress(firstValue(tags, 'og:url', 'parsely-link'), base, url) ??
        ownAddress(facts.url, base, url),
      open_graph: tagsUnder(tags, 'og:', base),
      twitter_card: tagsUnder(tags, 'twitter:', base),
      favicon: findLink(document, ['icon', 'apple-touch-icon', 'apple-touch-icon-precomposed'], base),
      lang:
        readLang(document, tags, headers) ??
        facts.lang ??
        clean(
          firstValue(
            tags,
            'og:locale',
            'dc.language',
            'dcterms.language',
            'language',
            'inlanguage',
          )?.replaceAll('_', '-'),
          35,
        ),
      image: images[0] ?? null,
      images,
      site_name: siteName,
      type: firstValue(tags, 'og:type'),
      ...publication,
      publisher: publication.publisher ?? siteName,
      robots: firstValue(tags, 'robots') ?? clean(headers['x-robots-tag']),
      refresh: readRefresh(tags, base),
    }
  },
)

/** The metadata of what is no page. */
export const emptyMetadata: Awaited<ReturnType<typeof metadata.read>> = {
  title: null,
  description: null,
  canonical: null,
  open_graph: null,
  twitter_card: null,
  favicon: null,
  lang: null,
  image: null,
  images: [],
  site_name: null,
  type: null,
  author: null,
  authors: [],
  publisher: null,
  published_time: null,
  published_time_raw: null,
  modified_time: null,
  robots: null,
  refresh: null,
}
