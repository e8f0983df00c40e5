import * as z from 'zod'
import { factTable } from '../facts.ts'
import { isRecord } from '../json.ts'
import { repair } from '../json-repair/repair.ts'
import { clean } from '../text/clean.ts'
import { toPlainFigures } from '../text/digits.ts'
import { foldMonth, monthNames } from '../text/month-names.ts'
import { toIsoUtc } from '../time.ts'
import { type Content, type Element, iterateChildren } from './element.ts'
import { mainHeading } from './heading.ts'
import { firstValue, type MetaTags } from './meta-tags.ts'

/** Publisher and dates of a page, as names and ISO 8601 UTC. What the page does not say is null. */
export type Publication = {
  author: string | null
  authors: string[]
  publisher: string | null
  published_time: string | null
  published_time_raw: string | null
  modified_time: string | null
}

/** An object of JSON-LD. */
export type Node = Record<string, unknown>

const maxima = { blocks: 20, characters: 512 * 1024, nodes: 2000, depth: 12, authors: 20 }

const parseBlock = (text: string): unknown => {
  const plain = text
    .replace(/^\s*(?:\/\/\s*)?(?:<!\[CDATA\[|<!--)/, '')
    .replace(/(?:\/\/\s*)?(?:\]\]>|-->)\s*$/, '')
  try {
    return JSON.parse(plain)
  } catch {
    return repair(plain).result
  }
}

/** The objects of all JSON-LD blocks, outer ones first. */
export const readNodes = (document: Element): Node[] => {
  const nodes: Node[] = []
  const add = (value: unknown, depth: number) => {
    if (nodes.length >= maxima.nodes || depth > maxima.depth) return
    if (Array.isArray(value)) for (const entry of value) add(entry, depth + 1)
    else if (isRecord(value)) {
      nodes.push(value)
      for (const key of ['@graph', 'mainEntity', 'mainEntityOfPage', 'itemListElement', 'item', 'hasPart'])
        add(value[key], depth + 1)
    }
  }
  let characters = 0
  let blocks = 0
  for (const script of document.getElementsByTagName('script')) {
    if (!/^\s*application\/ld\+json\b/i.test(script.getAttribute('type') ?? '')) continue
    const text = script.textContent ?? ''
    characters += text.length
    if (++blocks > maxima.blocks || characters > maxima.characters) break
    if (text.trim() !== '') add(parseBlock(text), 0)
  }
  return nodes
}

/** Types of an object without the vocabulary before them. */
export const readTypes = (node: Node): string[] =>
  [node['@type']].flat().flatMap(type => (typeof type === 'string' ? [type.replace(/^.*[/:#]/, '')] : []))

const isArticle =
  /Article$|^(?:BlogPosting|LiveBlogPosting|Report|SocialMediaPosting|DiscussionForumPosting|Review|CriticReview|Recipe|HowTo|Book|CreativeWork|VideoObject|PodcastEpisode|Episode|Course|Dataset|SoftwareSourceCode|Question)$/
const isPage = /Page$/

/** Ranks the page itself first: an article, then the page; a breadcrumb or a logo has no author. */
export const rank = (node: Node): number => {
  const types = readTypes(node)
  if (types.some(type => isArticle.test(type))) return 0
  return types.some(type => isPage.test(type)) ? 1 : 2
}

const isAddress = (text: string): boolean => /^(?:https?:)?\/\/|^www\.|^[\w-]+(?:\.[\w-]+)+\/\S*$/i.test(text)

/** Objects by their `@id`; a mere reference is none. */
export const indexNodes = (nodes: readonly Node[]): ReadonlyMap<string, Node> =>
  new Map(
    nodes.flatMap(node =>
      typeof node['@id'] === 'string' && Object.keys(node).length > 1 ? [[node['@id'], node] as const] : [],
    ),
  )

/** A name without what sites write around it; null for an address, a handle or what is no name. */
const toName = (value: unknown): string | null => {
  const text = clean(value, 300)
    ?.replace(/^(?:(?:written|posted|reported|published)\s+by|by)[\s:]+/i, '')
    // As feeds write it: the mailbox, and the name in brackets.
    .replace(/^\S+@\S+ \((.+)\)$/, '$1')
    .replace(/[\s,;|·•-]+$/, '')
    .trim()
  if (
    !text ||
    isAddress(text) ||
    !/^[@'"“«(]?[\p{L}\p{N}]/u.test(text) ||
    // "Story by" alone, and what a link to the author says.
    /(?:^|\s)by$|^(?:von|par|por|di|da|door)$|\b(?:author|autor|auteur)s?\b|^(?:undefined|null|n\/a|none|unknown|admin)$/i.test(
      text,
    )
  )
    return null
  return text
}

/** Names of people and organizations in a value of JSON-LD: texts, objects, references, and lists of them. */
export const contributorNames = (value: unknown, byId: ReadonlyMap<string, Node>, depth = 0): string[] => {
  if (depth > 4) return []
  if (Array.isArray(value))
    return value.slice(0, maxima.authors).flatMap(entry => contributorNames(entry, byId, depth + 1))
  if (typeof value === 'string') return [value].flatMap(text => toName(text) ?? [])
  if (!isRecord(value)) return []
  if ('@value' in value) return contributorNames(value['@value'], byId, depth + 1)
  const name = [value.name, value.legalName, value.alternateName]
    .flat()
    .map(toName)
    .find(each => each !== null)
  if (name) return [name]
  const parts = [value.givenName, value.familyName].flatMap(part => toName(part) ?? [])
  if (parts.length > 0) return [parts.join(' ')]
  const node = typeof value['@id'] === 'string' ? byId.get(value['@id']) : undefined
  return node && node !== value ? contributorNames(node, byId, depth + 1) : []
}

type Facts = {
  authors: string[]
  publisher: string | null
  published: string | null
  modified: string | null
}

const firstText = (nodes: readonly Node[], ...keys: string[]): string | null => {
  for (const key of keys)
    for (const node of nodes) {
      const value = clean([node[key]].flat()[0], 100)
      if (value !== null) return value
    }
  return null
}

const readJsonLd = (nodes: readonly Node[]): Facts => {
  const byId = indexNodes(nodes)
  const ranked = nodes.filter(node => rank(node) < 2).sort((a, b) => rank(a) - rank(b))
  const names = (...keys: string[]) => {
    for (const key of keys)
      for (const node of ranked) {
        const each = contributorNames(node[key], byId)
        if (each.length > 0) return each
      }
    return []
  }
  const site = nodes.find(node => readTypes(node).includes('WebSite'))
  return {
    authors: names('author', 'creator', 'contributor'),
    publisher:
      names('publisher', 'sourceOrganization')[0] ?? contributorNames(site?.publisher, byId)[0] ?? null,
    published: firstText(ranked, 'datePublished', 'dateCreated', 'uploadDate'),
    modified: firstText(ranked, 'dateModified'),
  }
}

/** Reads an element: its content or date before its text. */
export const attribute = (element: Element | null): string | null =>
  clean(element?.getAttribute('content') || element?.getAttribute('datetime') || element?.textContent, 300)

/** The name of a microdata value: that of the item it is, else its text. */
const itemName = (element: Element): string | null => {
  const named = element.querySelector('[itemprop~="name"],[property~="name"],[property~="schema:name"]')
  return (
    toName(attribute(named)) ??
    ((element.getAttribute('itemscope') ?? element.getAttribute('typeof')) === null || !named
      ? toName(attribute(element))
      : null)
  )
}

/** The first value that `read` makes of what the selectors find, one after another. */
export const first = (
  document: Element,
  selectors: readonly string[],
  read: (element: Element) => string | null,
): string | null => {
  for (const selector of selectors)
    for (const element of document.querySelectorAll(selector)) {
      const value = read(element)
      if (value !== null) return value
    }
  return null
}

/** True when a property stands in a comment or a review, whose author is not that of the page. */
export const isAside = (element: Element): boolean => {
  for (let at = element.parentNode; at; at = at.parentNode) {
    const type = at.getAttribute?.('itemtype') ?? at.getAttribute?.('typeof') ?? ''
    if (/(?:^|[/:])(?:Comment|UserComments|Review|Answer)\b/.test(type)) return true
  }
  return false
}

/** True when an element belongs to comments, to other articles, or to the frame of the page. */
const isElsewhere = (element: Element, from = element.parentNode): boolean => {
  for (let at = from; at; at = at.parentNode) {
    if (at.localName === 'aside' || at.localName === 'footer' || at.localName === 'nav') return true
    const marks = `${at.getAttribute?.('class') ?? ''} ${at.getAttribute?.('id') ?? ''}`
    if (at.localName !== 'body' && at.localName !== 'html' && elsewhere.test(marks)) return true
  }
  return isAside(element)
}

const elsewhere =
  /(?:^|[\s_-])(?:comments?|comment-?list|respond|replies|related|recommended|sidebar|widget|footer|promo|teasers?|popular|trending)(?:$|[\s_-])/i

/** Selectors of a property in microdata and in RDFa. */
export const propertySelector = (...names: string[]): string =>
  names
    .flatMap(name => [
      `[itemprop~="${name}"]`,
      `[property~="${name}"]`,
      `[property~="schema:${name}"]`,
      `[rel~="schema:${name}"]`,
    ])
    .join(',')

const readMicrodata = (document: Element): Facts => {
  const authors = [
    ...document.querySelectorAll(
      `${propertySelector('author', 'creator')},[property~="dc:creator"],[property~="dcterms:creator"]`,
    ),
  ]
    .slice(0, maxima.authors)
    .filter(element => !isAside(element))
    .flatMap(element => itemName(element) ?? [])
  const time = (name: string) =>
    first(document, [propertySelector(name)], element => (isAside(element) ? null : attribute(element)))
  return {
    authors,
    publisher: first(document, [propertySelector('publisher')], itemName),
    published: time('datePublished') ?? time('dateCreated'),
    modified: time('dateModified'),
  }
}

const names = z.array(z.string())

const facts = factTable(
  new URL('./data/publication.json', import.meta.url),
  z.strictObject({
    authorTags: names,
    publishedTags: names,
    modifiedTags: names,
    publisherTags: names,
    /** Selectors of what holds the author's name or a date. */
    authorMarks: names,
    modifiedMarks: names,
    dateMarks: names,
    /** Selectors of elements whose text or title may be a date, without one that machines read. */
    dateTextMarks: names,
    /** Beginnings of words that say that a page was changed. */
    updateWords: names,
  }),
)

let updatePattern: RegExp | undefined
const updateWords = (): RegExp => {
  updatePattern ??= new RegExp(facts().updateWords.join('|'), 'iu')
  return updatePattern
}

/** Whole names: "marraskuuta" is November in Finland, and Date.parse takes it for March. */
const englishMonth =
  /(?<!\p{L})(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?!\p{L})/iu

/**
 * A date as pages write it, as ISO 8601 UTC: ISO 8601, mail dates, year first with other marks, a unix time, and English
 * month names. Null where day and month cannot be told apart.
 */
export const readPublishedTime = (raw: string | null): string | null => {
  const text = raw?.trim().replace(/^(?:published|updated|posted)(?:\s+on)?[:\s]+/i, '') ?? ''
  const iso = toIsoUtc(
    text.replace(
      /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})/,
      (_, y, m, d) => `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`,
    ),
  )
  if (iso !== null) return iso
  const compact = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?Z?$/.exec(text)
  if (compact)
    return toIsoUtc(
      `${compact[1]}-${compact[2]}-${compact[3]}${compact[4] ? `T${compact[4]}:${compact[5]}:${compact[6] ?? '00'}Z` : ''}`,
    )
  const unix = /^(1\d{9})(\d{3})?$/.exec(text)
  if (unix) return new Date(Number(unix[1]) * 1000).toISOString()
  if (text.length > 80) return null
  const english = englishMonth.exec(text)?.[0]
  const isEnglish = english !== undefined && monthsIn(text).every(({ word }) => word.length <= english.length)
  if (!isEnglish || !/\b\d{4}\b/.test(text)) return readWordedDay(text)
  const hasZone = /(?:[A-Z]{2,4}|[+-]\d{2}:?\d{2}|Z)\)?$/.test(text.replace(/\b[AP]M\b/gi, '').trim())
  const plain = text.replace(/\b(\d{1,2})(?:st|nd|rd|th)\b/g, '$1').replace(/\bat\b|,/gi, ' ')
  const time = Date.parse(hasZone ? plain : `${plain} UTC`)
  return Number.isNaN(time) ? readWordedDay(text) : new Date(time).toISOString()
}

/**
 * A day as some language writes it: one year, one month by its name, one day; in figures only where the order is told by the marks
 * or by the numbers. Null where anything else in figures stands beside it.
 */
const readWordedDay = (raw: string): string | null => {
  const text = toPlainFigures(raw)
    .replace(/(?<!\d)\d{1,2}[:.h]\d{2}(?::\d{2})?(?![\d.])(?:\s?[ap]\.?m\.?)?/gi, ' ')
    .replace(/(?<!\d)\d{1,2}\s?(?:h|Uhr)(?![\p{L}\d])/giu, ' ')
    .replace(/(\d)(?:st|nd|rd|th|er|º|ª)(?!\p{L})/giu, '$1')
  const toDay = (year: string, month: number, day: string) =>
    toIsoUtc(`${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`)
  const eastAsian = /^\D*((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]\D*$/.exec(text)
  if (eastAsian) return toDay(eastAsian[1] ?? '', Number(eastAsian[2]), eastAsian[3] ?? '')
  const figures = /^\D*(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d\d)\D*$/.exec(text)
  if (figures) {
    const [, one = '', mark, other = '', year = ''] = figures
    if (mark === '.' || Number(one) > 12 || one === other) return toDay(year, Number(other), one)
    return Number(other) > 12 ? toDay(year, Number(one), other) : null
  }
  const numbers = text.match(/\d+/g) ?? []
  const [year] = numbers.filter(number => /^(?:19|20)\d\d$/.test(number))
  const [day] = numbers.filter(number => number.length < 3)
  if (numbers.length !== 2 || year === undefined || day === undefined) return null
  // "mar" is a weekday, too: the month is what stands beside the year or the day, and the longest.
  const named = monthsIn(text).sort((a, b) => b.word.length - a.word.length)
  const [first] = named
  const isOpen = named.some(({ word, month }) => word.length === first?.word.length && month !== first.month)
  return first === undefined || isOpen ? null : toDay(year, first.month, day)
}

/** Words that name a month in some language. */
const monthsIn = (text: string): { word: string; month: number }[] =>
  (text.match(/[\p{L}\p{M}'’]+/gu) ?? []).flatMap(
    word =>
      monthNames()
        .byName.get(foldMonth(word))
        ?.map(month => ({ word, month })) ?? [],
  )

/** The day in the path of an address: "/2024/8/5/", "/2011/nov/18/", "/2010/politics/08/13/", "/2024-08-05-title", "/20240805/". */
const dayInAddress = (url: string): string | null => {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  const [, year = '', month = '', day = ''] =
    /\/((?:19|20)\d\d)(?:\/[^/\d]{2,40}(?=\/\d))?\/(\d{1,2}|[a-z]{3,9})\/(\d{1,2})(?=\/|$)/i.exec(path) ??
    /(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)/.exec(path) ??
    /\/((?:19|20)\d\d)(\d\d)(\d\d)(?=[/-]|$)/.exec(path) ??
    []
  const [named] = monthsIn(month)
  const number = named === undefined ? month : String(named.month)
  return year === '' ? null : `${year}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** The first texts in an element, each as it stands between two tags. */
const textsIn = (element: Element): string[] => {
  const texts: string[] = []
  const open: Content[] = [element as unknown as Content]
  for (let nth = 0; nth < 50; nth++) {
    const node = open.pop()
    if (!node) break
    const text = node.nodeType === 3 ? clean(node.nodeValue, 400) : null
    if (text !== null && text !== '') texts.push(text)
    // A page may have many more children than are looked at.
    const children: Content[] = []
    for (const child of iterateChildren(node)) if (children.push(child) === 50) break
    open.push(...children.reverse())
  }
  return texts
}

/** A date in the title of an element, in its text or at the beginning of it; null where it holds more than a date. */
const dateText = (element: Element): string | null => {
  const text = clean(element.textContent, 100)
  const whole = [element.getAttribute('title'), text].find(
    each => each !== null && each.length <= 60 && readPublishedTime(each) !== null,
  )
  return whole ?? readLineDay(textsIn(element)[0] ?? '', false)
}

/** What may hold the lines between a heading and the text below it, and the text itself. */
const lineMarks = 'h1,h2,p,div,span,time,small,em,strong,b,i,address,header'
const lineEnds = /[|·•;\u3000\n]|,\s(?=\p{L})|\s[–—-]\s|(?<=日)\s/u

/** A line of a page that is a day with a few words: "Publié le 5 août 2024". A sentence that names a day has more of them. */
const readLineDay = (line: string, isDayFirst: boolean): string | null => {
  if (line.length > 60 || /(?:\p{L}{3}|\d{4})\.$/u.test(line)) return null
  const words = line.match(/[\p{L}\p{M}'’]{2,}/gu) ?? []
  const most = updateWords().test(line) ? 7 : 4
  if (words.length > most || !/\d{4}/.test(toPlainFigures(line))) return null
  const ordered = isDayFirst ? line.replace(/(?<!\d)(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/, '$1.$2.$3') : line
  return readPublishedTime(ordered)
}

/**
 * The days in the first lines under the heading, or right above it: what was published and, where the line says so, changed. They end where the
 * text of the page begins.
 */
const readDatelines = (document: Element): { published: string | null; modified: string | null } => {
  const lang = document.querySelector('html')?.getAttribute('lang') ?? ''
  const isDayFirst = lang !== '' && !/^en(?:-(?:us|ph))?$/i.test(lang)
  const lines = [...document.querySelectorAll(lineMarks)]
  const main = mainHeading(document)
  const heading = main === null || isElsewhere(main) ? -1 : lines.indexOf(main)
  const days: { published: string | null; modified: string | null } = { published: null, modified: null }
  if (heading < 0) return days
  const { parentNode } = lines[heading] ?? {}
  const above = lines.slice(Math.max(0, heading - 4), heading).filter(line => line.parentNode === parentNode)
  for (const element of [...lines.slice(heading + 1, heading + 40), ...above]) {
    const text = clean(element.textContent?.slice(0, 400).replace(/\s*\n\s*/g, '|') ?? null, 400)
    if (text === null) continue
    if (element.localName === 'p' && text.length > 200) break
    if (text.length > 120 || isElsewhere(element, element)) continue
    for (const part of [...text.split(lineEnds), ...textsIn(element)]) {
      const day = readLineDay(part.trim(), isDayFirst)
      if (day === null) continue
      if (updateWords().test(part)) days.modified ??= day
      else days.published ??= day
    }
    if (days.published !== null) break
  }
  return days
}

/** A date, a number, or a credit of a picture stands where authors do, and is none. */
const isNoAuthor = (name: string): boolean =>
  readPublishedTime(name) !== null ||
  /^\W*\d[\d\s:./-]*$/.test(name) ||
  /^(?:photo|image|foto|bild|illustration|video)\b/i.test(name)

/** A name in the text of a page, without the word for "by"; a longer text is more than a name. */
const shortName = (text: string | null): string | null => {
  const name = toName(
    text?.replace(/^\s*(?:von|par|por|di|door)[\s:]+(?=\p{Lu})/iu, '').replace(/\s[|–—-]\s.*$/u, '') ?? null,
  )
  return name !== null && name.length <= 100 && !isNoAuthor(name) ? name : null
}

/** "Jane Doe and John Roe" are two people, "Smith and Sons" are one house. */
const betweenNames = /(?<=\p{Lu}\S+ \p{Lu}\S+) (?:and|&|et|und|y|e|en|i|и) (?=\p{Lu}\S+ \p{Lu})/u

const tagNames = (tags: MetaTags, names: readonly string[]): string[] => {
  for (const name of names) {
    const values = (tags.get(name) ?? []).flatMap(value => toName(value) ?? [])
    if (values.length > 0) return values
  }
  return []
}

/** The label and value that some blogs put on a Twitter card. */
const writtenBy = (tags: MetaTags): string[] =>
  ['1', '2'].flatMap(nth =>
    /^(?:written by|author|by|autor|auteur|von|escrito por|scritto da|geschreven door)$/i.test(
      firstValue(tags, `twitter:label${nth}`) ?? '',
    )
      ? tagNames(tags, [`twitter:data${nth}`])
      : [],
  )

/** The first candidate that is a date, with what the page wrote. */
const firstDate = (candidates: readonly (string | null)[]): { raw: string | null; time: string | null } => {
  const raw = candidates.filter(candidate => candidate !== null)
  for (const candidate of raw) {
    const time = readPublishedTime(candidate)
    if (time !== null) return { raw: candidate, time }
  }
  return { raw: raw[0] ?? null, time: null }
}

/**
 * Reads who published a page and when: JSON-LD before microdata, that before meta elements, and marks in the text last. Only
 * names count: addresses of profiles are passed over, and a handle stands where nothing else does.
 */
export const readPublication = (
  document: Element,
  tags: MetaTags,
  nodes: readonly Node[],
  url: string,
): Publication => {
  const [graph, items] = [readJsonLd(nodes), readMicrodata(document)]
  const marked = (): string[] => {
    for (const mark of facts().authorMarks) {
      const named = [...document.querySelectorAll(mark)]
        .slice(0, maxima.authors)
        .filter(element => !isElsewhere(element))
        .flatMap(element =>
          [shortName(attribute(element))].flatMap(name =>
            name === null ? [] : name.split(betweenNames).map(each => ({ element, name: each })),
          ),
        )
      // Two bylines stand side by side; further ones belong to other articles.
      const line = named[0]?.element.parentNode
      const own = named.filter(
        ({ element: { parentNode } }) => parentNode === line || parentNode?.parentNode === line?.parentNode,
      )
      if (own.length > 0) return own.map(({ name }) => name)
    }
    return []
  }
  const lists = [
    () => graph.authors,
    () => items.authors,
    () => tagNames(tags, facts().authorTags),
    () => writtenBy(tags),
    marked,
    () => tagNames(tags, ['twitter:creator']),
  ]
  // A handle is better than nobody, and no name.
  const isHandle = (name: string) => /^@\S+$/.test(name)
  let authors: string[] = []
  let handles: string[] = []
  for (const list of lists) {
    const found = [...new Set(list())]
    authors = found.filter(name => !isHandle(name))
    if (authors.length > 0) break
    if (handles.length === 0) handles = found
  }
  if (authors.length === 0) authors = handles
  const modified = firstDate([
    graph.modified,
    items.modified,
    ...facts().modifiedTags.map(name => firstValue(tags, name)),
    first(document, facts().modifiedMarks, attribute),
  ])
  const published = firstDate([
    graph.published,
    items.published,
    ...facts().publishedTags.map(name => firstValue(tags, name)),
    first(document, facts().dateMarks, element => (isElsewhere(element) ? null : attribute(element))),
    dayInAddress(url),
    first(document, facts().dateTextMarks, element => (isElsewhere(element) ? null : dateText(element))),
  ])
  const lines = published.time === null || modified.time === null ? readDatelines(document) : undefined
  return {
    author: authors.length > 0 ? authors.join(', ') : null,
    authors,
    publisher:
      graph.publisher ??
      items.publisher ??
      tagNames(tags, facts().publisherTags)[0] ??
      firstValue(tags, 'og:site_name', 'application-name'),
    published_time: published.time ?? lines?.published ?? null,
    published_time_raw: published.raw ?? lines?.published?.slice(0, 10) ?? null,
    modified_time: modified.time ?? lines?.modified ?? null,
  }
}
