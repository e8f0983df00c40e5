import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type Item, toItem } from './item.ts'

const elements11 = 'http://purl.org/dc/elements/1.1/'
const terms = 'http://purl.org/dc/terms/'

/** The fifteen elements (DCMES 1.1). */
const elementNames = new Set(
  'contributor coverage creator date description format identifier language publisher relation rights source subject title type'.split(
    ' ',
  ),
)

/** The properties of /terms/ (DCMI Metadata Terms §2) by their lower-case names. */
const termNames = new Map(
  'abstract accessRights accrualMethod accrualPeriodicity accrualPolicy alternative audience available bibliographicCitation conformsTo contributor coverage created creator date dateAccepted dateCopyrighted dateSubmitted description educationLevel extent format hasFormat hasPart hasVersion identifier instructionalMethod isFormatOf isPartOf isReferencedBy isReplacedBy isRequiredBy issued isVersionOf language license mediator medium modified provenance publisher references relation replaces requires rights rightsHolder source spatial subject tableOfContents temporal title type valid'
    .split(' ')
    .map(name => [name.toLowerCase(), name]),
)

type DublinCoreTerm = { list: 'elements' | 'terms'; uri: string }

/**
 * Term of a name such as `DC.date.issued` or `dcterms:created`: its last word that is a name of Dublin Core. A name without a prefix,
 * such as a plain `description`, is the element of that name.
 */
const findTerm = (rawName: string, namespaces: ReadonlyMap<string, string>): DublinCoreTerm | undefined => {
  const words = rawName.trim().toLowerCase().split(/[.:]/)
  const [prefix = '', name = prefix] = [words[0], words.at(-1)]
  const space =
    words.length === 1 ? elements11 : (namespaces.get(prefix) ?? { dc: elements11, dcterms: terms }[prefix])
  if (space === undefined) return undefined
  if (space === elements11 && elementNames.has(name)) return { list: 'elements', uri: elements11 + name }
  const term = termNames.get(name)
  return term === undefined ? undefined : { list: 'terms', uri: terms + term }
}

const readNamespaces = (document: Element): Map<string, string> => {
  const namespaces = new Map<string, string>()
  for (const link of document.getElementsByTagName('link')) {
    const prefix = /^\s*schema\.(\w{1,30})\s*$/i.exec(link.getAttribute('rel') ?? '')?.[1]
    const url = link
      .getAttribute('href')
      ?.trim()
      .replace(/^https:/, 'http:')
    if (prefix && (url === elements11 || url === terms)) namespaces.set(prefix, url)
  }
  return namespaces
}

const maxTags = 500

const readAttributes = (element: Element, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = element.getAttribute(name)
      return value === null ? [] : [[name, clean(value, 5000) ?? '']]
    }),
  )

/** Dublin Core of a page as extruct gives it. */
export const readDublinCore = (document: Element): Item[] => {
  const namespaces = readNamespaces(document)
  const byPrefix = new Map([...namespaces].map(([prefix, url]) => [prefix.toLowerCase(), url]))
  const items = { elements: [] as object[], terms: [] as object[] }
  const tags = ['meta', 'link'].flatMap(name => [...document.getElementsByTagName(name)])
  for (const element of tags) {
    const rawName = element.getAttribute('name') ?? element.getAttribute('rel') ?? ''
    const term = findTerm(rawName, byPrefix)
    if (!term || items.elements.length + items.terms.length >= maxTags) continue
    const names = ['name', 'content', 'rel', 'href', 'hreflang', 'scheme', 'lang', 'xml:lang']
    items[term.list].push({ ...readAttributes(element, names), URI: term.uri })
  }
  if (items.elements.length + items.terms.length === 0) return []
  return [toItem('dublincore', [], null, { namespaces: Object.fromEntries(namespaces), ...items })]
}
