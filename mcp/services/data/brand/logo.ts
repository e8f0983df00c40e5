import { isRecord } from '../../../lib/json.ts'
import type { Element } from '../../../lib/page/element.ts'
import { absolute } from '../../../lib/page/link.ts'
import { walk } from '../../../lib/page/walk.ts'
import { openReadingBudget } from '../structured/budget.ts'
import { shortType } from '../structured/item.ts'
import { readJsonLd } from '../structured/jsonld.ts'

export const logoSources = ['json-ld', 'microdata', 'meta', 'image'] as const

/** A logo, and what says that it is one. */
export type Logo = { href: string; source: (typeof logoSources)[number] }

type Json = Readonly<Record<string, unknown>>

const limits = { depth: 20, nodes: 2000 }

/** All objects in a value, outer ones first. */
const objectsIn = (value: unknown, objects: Json[] = [], depth = 0): Json[] => {
  const isNested = isRecord(value) || Array.isArray(value)
  if (!isNested || depth > limits.depth || objects.length >= limits.nodes) return objects
  if (isRecord(value)) objects.push(value)
  for (const inner of Object.values(value)) objectsIn(inner, objects, depth + 1)
  return objects
}

const organizations = /(?:Organization|Corporation|Business|Brand|Store|Agency|NGO|Airline)$/

const isOrganization = (node: Json) =>
  [node['@type']].flat().some(type => typeof type === 'string' && organizations.test(shortType(type)))

/** The address of an image in JSON-LD: a text, an object with one, or a pointer to that object. */
const imageAddress = (image: unknown, nodes: readonly Json[], depth = 0): string | null => {
  if (typeof image === 'string') return image
  if (Array.isArray(image)) return imageAddress(image[0], nodes, depth + 1)
  if (!isRecord(image) || depth > 3) return null
  const direct = imageAddress(image.url ?? image.contentUrl, nodes, depth + 1)
  if (direct !== null) return direct
  const id = image['@id']
  const target = nodes.find(node => node !== image && node['@id'] === id && (node.url ?? node.contentUrl))
  return id !== undefined && target ? imageAddress(target, nodes, depth + 1) : null
}

const inJson = (document: Element, base: string): string | null => {
  const { items } = readJsonLd(document, openReadingBudget())
  const nodes = items.flatMap(({ data }) => objectsIn(data)).slice(0, limits.nodes)
  const withLogo = nodes.filter(node => node.logo)
  for (const node of [...withLogo.filter(isOrganization), ...withLogo]) {
    const href = absolute(imageAddress(node.logo, nodes), base)
    if (href !== null) return href
  }
  return null
}

const readAddressAttribute = (element: Element | null): string | null =>
  element && (element.getAttribute('src') ?? element.getAttribute('href') ?? element.getAttribute('content'))

const inMicrodata = (document: Element, base: string): string | null => {
  for (const element of document.querySelectorAll('[itemprop~="logo"]')) {
    const inner = element.querySelector('[itemprop="url"], [itemprop="contentUrl"], img')
    const href = absolute(readAddressAttribute(element) ?? readAddressAttribute(inner), base)
    if (href !== null) return href
  }
  return null
}

const looksLikeLogo = (element: Element): boolean =>
  /logo/i.test(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`)

const isHomeLink = (element: Element) =>
  element.localName === 'a' && /^(?:\/|\.\/)?$/.test(element.getAttribute('href') ?? '-')

/** Finds the picture that looks like the logo: best the one that leads home from the page header. */
const inPicture = (document: Element, base: string): string | null => {
  const around = { header: 0, home: 0, logo: 0 }
  const best = { rank: 0, href: null as string | null }
  const count = (element: Element, step: 1 | -1) => {
    if (element.localName === 'header') around.header += step
    if (isHomeLink(element)) around.home += step
    if (looksLikeLogo(element)) around.logo += step
  }
  const rankImage = (image: Element): number => {
    if (around.header > 0 && around.home > 0) return 4
    if (looksLikeLogo(image)) return 3
    if (around.logo > 0) return 2
    const words = `${image.getAttribute('src') ?? ''} ${image.getAttribute('alt') ?? ''}`
    return around.header > 0 && /logo/i.test(words.slice(0, 1000)) ? 1 : 0
  }
  walk(document, {
    enter(element) {
      if (element.localName === 'img') {
        const rank = rankImage(element)
        const src = element.getAttribute('src') ?? element.getAttribute('data-src')
        const href = rank > best.rank ? absolute(src, base) : null
        if (href !== null) Object.assign(best, { rank, href })
      }
      count(element, 1)
      return true
    },
    leave: element => count(element, -1),
  })
  return best.href
}

const inMeta = (document: Element, base: string): string | null =>
  absolute(
    document.querySelector('meta[property="og:logo"], meta[name="og:logo"]')?.getAttribute('content'),
    base,
  )

/** The logo of a page: what it says itself, else the picture that looks like one. */
export const readLogo = (document: Element, base: string): Logo | null => {
  const readers = { 'json-ld': inJson, microdata: inMicrodata, meta: inMeta, image: inPicture }
  for (const source of logoSources) {
    const href = readers[source](document, base)
    if (href !== null) return { href, source }
  }
  return null
}
