import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'
import type { Element } from '../../../lib/page/element.ts'
import { absolute } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'

const phraseSet = z.string().transform(line => new Set(line.split(', ')))

/** Link texts that say nothing about where they lead, by language. */
const phrases = factTable(
  new URL('./data/vague-phrases.json', import.meta.url),
  z.record(z.string(), phraseSet).transform(byLanguage => ({
    byLanguage: new Map(Object.entries(byLanguage)),
    all: new Set(Object.values(byLanguage).flatMap(set => [...set])),
  })),
)

const phrasesIn = (language: string | null): ReadonlySet<string> =>
  phrases().byLanguage.get(language ?? '') ?? phrases().all

const normalizePhrase = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[\s.…:!›»→>«\-–[\]()]+/g, ' ')
    .trim()

/**
 * Whether a link text says nothing about where it leads: a phrase of the page's language or of English (of all known ones when
 * it is null or another), arrows and dots left out, or a bare address.
 */
export const isVague = (text: string, language: string | null): boolean => {
  if (/^https?:\/\/\S+$/i.test(text.trim())) return true
  const phrase = normalizePhrase(text)
  return phrasesIn(language).has(phrase) || phrasesIn('en').has(phrase)
}

const maxListed = 10
const bareHost = (url: string) => new URL(url).hostname.replace(/^www\./, '')
const has = (element: Element, name: string) => (element.getAttribute(name) ?? '').trim() !== ''
const scriptHref = /^\s*(?:javascript\s*:|file:)/i

/** Crawlers follow addresses and run no handlers; an `a` that is a place to jump to, a widget or the page itself is no link. */
const isUncrawlable = (element: Element, base: string): boolean => {
  if (has(element, 'role') || has(element, 'name')) return false
  const href = element.getAttribute('href')
  if (href !== null) return scriptHref.test(href) || !URL.canParse(href, base)
  const isHere = /^(?:page|location)$/i.test(element.getAttribute('aria-current') ?? '')
  return !has(element, 'id') && !isHere
}

/** Counts the links of a page, with those that crawlers or readers can do little with. */
export const openPageAnchors = (base: string, pageUrl: string, language: string | null) => {
  const host = bareHost(pageUrl)
  const origin = `${new URL(pageUrl).origin}/`
  const counts = { internal: 0, external: 0, nofollow: 0, vague: 0, unnamed: 0, uncrawlable: 0 }
  const vague: { text: string; href: string }[] = []
  const uncrawlable: string[] = []

  const isNofollow = (element: Element) =>
    /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i.test(element.getAttribute('rel') ?? '')

  const noteUncrawlable = (element: Element): undefined => {
    if (!isUncrawlable(element, base)) return
    counts.uncrawlable++
    const label = clean(element.getAttribute('href') ?? element.getAttribute('onclick'), 100)
    if (uncrawlable.length < maxListed && label !== null) uncrawlable.push(label)
  }

  return {
    /** The address that a link leads to; undefined when it is none to judge the text of. */
    see(element: Element): string | undefined {
      const rawHref = element.getAttribute('href') ?? ''
      const href = scriptHref.test(rawHref) ? null : absolute(rawHref, base)
      if (href === null) return noteUncrawlable(element)
      counts[href.startsWith(origin) || bareHost(href) === host ? 'internal' : 'external']++
      if (isNofollow(element)) counts.nofollow++
      return href.split('#')[0] === pageUrl.split('#')[0] ? undefined : href
    },
    /** Takes the text of a link once it is known. */
    name(element: Element, href: string, text: string) {
      const label = clean(element.getAttribute('aria-label') || text || element.getAttribute('title'), 200)
      if (label === null && element.getAttribute('aria-labelledby') === null) counts.unnamed++
      if (label === null || isNofollow(element) || !isVague(label, language)) return
      counts.vague++
      if (vague.length < maxListed) vague.push({ text: label, href })
    },
    read: () => ({ ...counts, vagueLinks: vague, uncrawlableLinks: uncrawlable }),
  }
}
