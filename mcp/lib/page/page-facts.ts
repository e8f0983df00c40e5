import { isRecord } from '../json.ts'
import { clean } from '../text/clean.ts'
import type { Element } from './element.ts'
import { fold } from './heading.ts'
import { absolute } from './link.ts'
import { firstValue, type MetaTags } from './meta-tags.ts'
import {
  attribute,
  contributorNames,
  first,
  indexNodes,
  isAside,
  type Node,
  propertySelector,
  rank,
  readTypes,
} from './publication.ts'

/** Facts of a page in its structured data, beside who published it. */
export type PageFacts = {
  headline: string | null
  description: string | null
  url: string | null
  lang: string | null
  images: string[]
  site_name: string | null
}

/** Objects that stand around what a page is about. */
const isAround =
  /^(?:WebSite|Organization|NewsMediaOrganization|Corporation|Person|ImageObject|BreadcrumbList|ListItem|SearchAction|Rating|AggregateRating|Offer|SiteNavigationElement|WPHeader|WPFooter)$/

const readText = (value: unknown): string | null => {
  const one = [value].flat()[0]
  return clean(isRecord(one) ? (one['@value'] ?? one.name ?? one['@id']) : one, 5000)
}

const firstText = (nodes: readonly Node[], ...keys: string[]): string | null => {
  for (const key of keys)
    for (const node of nodes) {
      const value = readText(node[key])
      if (value !== null) return value
    }
  return null
}

const maxImages = 20

/** Addresses of images in a value: texts, objects, references, and lists of them. */
const imagesIn = (value: unknown, byId: ReadonlyMap<string, Node>, depth = 0): string[] => {
  if (depth > 3) return []
  if (Array.isArray(value)) return value.slice(0, maxImages).flatMap(each => imagesIn(each, byId, depth + 1))
  if (typeof value === 'string') return [value]
  if (!isRecord(value)) return []
  const own = [value.url, value.contentUrl].flat().filter(each => typeof each === 'string')
  if (own[0] !== undefined) return [own[0]]
  const node = typeof value['@id'] === 'string' ? byId.get(value['@id']) : undefined
  if (node && node !== value) return imagesIn(node, byId, depth + 1)
  return typeof value['@id'] === 'string' ? [value['@id']] : []
}

const propertyText = (document: Element, ...names: string[]): string | null =>
  first(
    document,
    names.map(name => propertySelector(name)),
    element => (isAside(element) ? null : attribute(element)),
  )

const source = (element: Element): string | null =>
  element.getAttribute('content') ||
  element.getAttribute('src') ||
  element.getAttribute('href') ||
  element.getAttribute('resource') ||
  element.querySelector('img')?.getAttribute('src') ||
  null

/** Reads JSON-LD, microdata and RDFa for what a page is called, says and shows. */
export const readPageFacts = (document: Element, nodes: readonly Node[], base: string): PageFacts => {
  const byId = indexNodes(nodes)
  const own = nodes
    .filter(node => rank(node) < 2 || !readTypes(node).some(type => isAround.test(type)))
    .filter(node => readTypes(node).length > 0)
    .sort((a, b) => rank(a) - rank(b))
  const described = own.filter(node => rank(node) < 2)
  const site = nodes.find(node => readTypes(node).includes('WebSite'))
  const partOf = own.map(node => node.isPartOf).find(value => value !== undefined)
  const itemImage = first(document, [propertySelector('image', 'thumbnailUrl')], element =>
    isAside(element) ? null : source(element),
  )
  const pictures = [
    ...own.flatMap(node => imagesIn(node.image, byId)),
    ...own.flatMap(node => imagesIn(node.primaryImageOfPage, byId)),
    ...own.flatMap(node => imagesIn(node.thumbnailUrl ?? node.thumbnail, byId)),
    ...(itemImage === null ? [] : [itemImage]),
  ]
  const language = described.map(node => [node.inLanguage].flat()[0]).find(value => value !== undefined)
  return {
    headline: firstText(own, 'headline', 'name') ?? propertyText(document, 'headline'),
    description: firstText(own, 'description') ?? propertyText(document, 'description'),
    url: absolute(firstText(described, 'mainEntityOfPage', 'url') ?? undefined, base),
    lang: clean(isRecord(language) ? (language.alternateName ?? language.name) : language, 35),
    images: pictures.flatMap(href => absolute(href, base) ?? []).slice(0, maxImages),
    site_name:
      (site ? contributorNames(site, byId)[0] : undefined) ?? contributorNames(partOf, byId)[0] ?? null,
  }
}

const isOrnament = /logo|icon|avatar|sprite|badge|emoji|gravatar|spacer|pixel|blank|placeholder|advert/i

const isLarge = (image: Element): boolean => {
  const width = Number.parseInt(image.getAttribute('width') ?? '', 10)
  const height = Number.parseInt(image.getAttribute('height') ?? '', 10)
  return !(width < 200 || height < 120)
}

/** The first picture of the article that is no ornament; null where the page marks no article. */
export const readArticleImage = (document: Element, base: string): string | null =>
  first(
    document,
    [
      'article figure img',
      'article img',
      '[role="main"] img',
      'main img',
      '.entry-content img',
      '.post-content img',
    ],
    image => {
      const href = image.getAttribute('src') || image.getAttribute('data-src')
      const words = [href, image.getAttribute('class'), image.getAttribute('alt'), image.getAttribute('id')]
      if (!href || !isLarge(image) || words.some(each => each && isOrnament.test(each))) return null
      return absolute(href, base)
    },
  )

/** Separator of a headline and the name of a site. */
const separator = /\s+[|–—·•»«:~-]+\s+|\s*[|·•»]\s*/u

/** The name of the site that stands beside the headline in a title: "Winter storage – Marina Handbook". */
export const readSiteInTitle = (
  title: string | null,
  headlines: readonly (string | null)[],
): string | null => {
  const apart = title?.split(separator).filter(part => part.trim() !== '') ?? []
  const parts = apart.length < 2 ? (title?.split(/:\s+(.+)/u).filter(part => part !== '') ?? []) : apart
  if (parts.length < 2) return null
  const foldedHeadlines = headlines.flatMap(headline => (headline === null ? [] : [fold(headline)]))
  const [head = '', tail = ''] = [parts[0], parts.at(-1)]
  const isName = (part: string) => part.length <= 60 && part.split(/\s+/).length <= 6
  if (
    isName(tail) &&
    foldedHeadlines.some(each => each !== '' && fold(parts.slice(0, -1).join(' ')) === each)
  )
    return clean(tail, 100)
  // "Fleet Forum: Which anchor holds best?"
  if (isName(head) && foldedHeadlines.some(each => each !== '' && fold(parts.slice(1).join(' ')) === each))
    return clean(head, 100)
  return null
}

/** Placeholders of programs and servers for a title. */
const placeholder =
  /^(?:untitled(?: (?:document|page))?|loading(?:\s*(?:…|\.{2,3}))?|home(?: ?page)?|index(?: of \/)?|document|new page|(?:react|vite|next|nuxt|angular|vue) app|vite \+ \w+(?: \+ ts)?|just a moment(?:…|\.{3})?|please wait(?:…|\.{3})?|redirecting(?:…|\.{3})?|welcome|page|title|null|undefined|sans titre|ohne titel|unbenannt|sin título|senza titolo|zonder titel|sem título|無題)$/i

/** True when a title tells nothing of the page: a placeholder, or the name of the site alone. */
export const isPlaceholderTitle = (title: string, siteName: string | null): boolean =>
  placeholder.test(title) || (siteName !== null && fold(title) === fold(siteName))

/** The first value of the tags that is no slip of a program. */
export const firstWords = (tags: MetaTags, ...names: string[]): string | null =>
  names
    .map(name => firstValue(tags, name))
    .find(
      value => value !== null && !/^(?:undefined|null|n\/a|none|description|\[object Object\])$/i.test(value),
    ) ?? null

const ellipsis = /\s*(?:…|\.{3})\s*$/u

/** The longer of two texts where one is the beginning of the other; else the first. */
export const wholeText = (stated: string, other: string): string =>
  fold(other).startsWith(fold(stated.replace(ellipsis, ''))) && !ellipsis.test(other) ? other : stated

type Titles = {
  /** Of the `title` element; null where it says nothing. */
  title: string | null
  /** In the tags or the data of the page, for those who share it. */
  stated: string | null
  heading: string | null
}

/**
 * Reconciles the titles of a page: what it states for others, unless that is cut short, or its title and its heading agree on something
 * else; of any of them that which the heading has too, without the name of the site.
 */
export const reconcileTitles = ({ title, stated, heading }: Titles): string | null => {
  const chosen = chooseTitle({ title, stated, heading })
  return heading !== null && readSiteInTitle(chosen, [heading]) !== null ? heading : chosen
}

const chooseTitle = ({ title, stated, heading }: Titles): string | null => {
  if (title === null) return stated ?? heading
  if (stated === null) return title
  if (ellipsis.test(stated)) return wholeText(stated, title)
  const [ofTitle, ofHeading, ofStated] = [fold(title), fold(heading ?? ''), fold(stated)]
  const isSupported = ofHeading !== '' && ofTitle.includes(ofHeading)
  const agrees = ofStated !== '' && (ofTitle.includes(ofStated) || ofStated.includes(ofTitle))
  return agrees || !isSupported || ofStated.includes(ofHeading) ? stated : title
}
