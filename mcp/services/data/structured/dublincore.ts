import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type Item, itemOf } from './item.ts'

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

type Named = { list: 'elements' | 'terms'; uri: string }

/** What a name such as `DC.date.issued` or `dcterms:created` means: its last word that is a name of Dublin Core. */
const meaning = (written: string, declared: ReadonlyMap<string, string>): Named | undefined => {
  const [prefix = '', ...rest] = written.trim().toLowerCase().split(/[.:]/)
  const space = declared.get(prefix) ?? { dc: elements11, dcterms: terms }[prefix]
  const name = rest.at(-1)
  if (space === undefined || name === undefined) return undefined
  if (space === elements11 && elementNames.has(name)) return { list: 'elements', uri: elements11 + name }
  const term = termNames.get(name)
  return term === undefined ? undefined : { list: 'terms', uri: terms + term }
}

const namespacesOf = (document: Element): Map<string, string> => {
  const found = new Map<string, string>()
  for (const link of document.getElementsByTagName('link')) {
    const prefix = /^\s*schema\.(\w{1,30})\s*$/i.exec(link.getAttribute('rel') ?? '')?.[1]
    const url = link
      .getAttribute('href')
      ?.trim()
      .replace(/^https:/, 'http:')
    if (prefix && (url === elements11 || url === terms)) found.set(prefix.toLowerCase(), url)
  }
  return found
}

const most = 500

const attributesOf = (element: Element, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = element.getAttribute(name)
      return value === null ? [] : [[name, clean(value, 5000) ?? '']]
    }),
  )

/** Dublin Core of a page as extruct gives it, but for tags that name no Dublin Core, such as a plain description. */
export const readDublinCore = (document: Element): Item[] => {
  const declared = namespacesOf(document)
  const found = { elements: [] as object[], terms: [] as object[] }
  const tags = ['meta', 'link'].flatMap(name => [...document.getElementsByTagName(name)])
  for (const element of tags) {
    const written = element.getAttribute('name') ?? element.getAttribute('rel') ?? ''
    const named = meaning(written, declared)
    if (!named || found.elements.length + found.terms.length >= most) continue
    const names = ['name', 'content', 'rel', 'href', 'scheme', 'lang', 'xml:lang']
    found[named.list].push({ ...attributesOf(element, names), URI: named.uri })
  }
  if (found.elements.length + found.terms.length === 0) return []
  return [itemOf('dublincore', [], null, { namespaces: Object.fromEntries(declared), ...found })]
}
