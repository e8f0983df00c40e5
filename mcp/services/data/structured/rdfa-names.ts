/** Prefixes that every RDFa processor knows (RDFa Core initial context), and those of OpenGraph that pages use undeclared. */
const initialPrefixes: Readonly<Record<string, string>> = {
  as: 'https://www.w3.org/ns/activitystreams#',
  cc: 'http://creativecommons.org/ns#',
  csvw: 'http://www.w3.org/ns/csvw#',
  ctag: 'http://commontag.org/ns#',
  dc: 'http://purl.org/dc/terms/',
  dc11: 'http://purl.org/dc/elements/1.1/',
  dcat: 'http://www.w3.org/ns/dcat#',
  dcterms: 'http://purl.org/dc/terms/',
  dqv: 'http://www.w3.org/ns/dqv#',
  duv: 'https://www.w3.org/ns/duv#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  gr: 'http://purl.org/goodrelations/v1#',
  grddl: 'http://www.w3.org/2003/g/data-view#',
  ical: 'http://www.w3.org/2002/12/cal/icaltzd#',
  jsonld: 'http://www.w3.org/ns/json-ld#',
  ldp: 'http://www.w3.org/ns/ldp#',
  ma: 'http://www.w3.org/ns/ma-ont#',
  oa: 'http://www.w3.org/ns/oa#',
  odrl: 'http://www.w3.org/ns/odrl/2/',
  org: 'http://www.w3.org/ns/org#',
  owl: 'http://www.w3.org/2002/07/owl#',
  prov: 'http://www.w3.org/ns/prov#',
  qb: 'http://purl.org/linked-data/cube#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfa: 'http://www.w3.org/ns/rdfa#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  rev: 'http://purl.org/stuff/rev#',
  rif: 'http://www.w3.org/2007/rif#',
  rr: 'http://www.w3.org/ns/r2rml#',
  schema: 'http://schema.org/',
  sd: 'http://www.w3.org/ns/sparql-service-description#',
  sioc: 'http://rdfs.org/sioc/ns#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  skosxl: 'http://www.w3.org/2008/05/skos-xl#',
  sosa: 'http://www.w3.org/ns/sosa/',
  ssn: 'http://www.w3.org/ns/ssn/',
  time: 'http://www.w3.org/2006/time#',
  v: 'http://rdf.data-vocabulary.org/#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  void: 'http://rdfs.org/ns/void#',
  wdr: 'http://www.w3.org/2007/05/powder#',
  wdrs: 'http://www.w3.org/2007/05/powder-s#',
  xhv: 'http://www.w3.org/1999/xhtml/vocab#',
  xml: 'http://www.w3.org/XML/1998/namespace',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  og: 'http://ogp.me/ns#',
  article: 'http://ogp.me/ns/article#',
  book: 'http://ogp.me/ns/book#',
  fb: 'http://ogp.me/ns/fb#',
  music: 'http://ogp.me/ns/music#',
  product: 'http://ogp.me/ns/product#',
  profile: 'http://ogp.me/ns/profile#',
  twitter: 'https://dev.twitter.com/cards#',
  video: 'http://ogp.me/ns/video#',
}

const initialTerms: Readonly<Record<string, string>> = {
  describedby: 'http://www.w3.org/2007/05/powder-s#describedby',
  license: 'http://www.w3.org/1999/xhtml/vocab#license',
  role: 'http://www.w3.org/1999/xhtml/vocab#role',
}

/** Declared prefixes of an element, and those around it. */
type Prefixes = { own: ReadonlyMap<string, string>; outer: Prefixes | undefined }

/** What names mean at a place of the page. */
export type Names = { base: string; vocabulary: string | undefined; prefixes: Prefixes }

const initial: Prefixes = { own: new Map(Object.entries(initialPrefixes)), outer: undefined }

export const initialNames = (base: string): Names => ({ base, vocabulary: undefined, prefixes: initial })

/** Prefixes that a `prefix` attribute declares: `dc: http://… foaf: http://…`. */
export const withPrefixes = (names: Names, prefixAttribute: string): Names => {
  const own = new Map<string, string>()
  const parts = prefixAttribute.trim().split(/\s+/)
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = parts[at] ?? ''
    if (name.endsWith(':') && name !== '_:') own.set(name.slice(0, -1).toLowerCase(), parts[at + 1] ?? '')
  }
  return { ...names, prefixes: { own, outer: names.prefixes } }
}

const findPrefix = (prefixes: Prefixes, name: string): string | undefined => {
  for (let at: Prefixes | undefined = prefixes; at; at = at.outer) {
    const namespace = at.own.get(name)
    if (namespace !== undefined) return namespace
  }
  return undefined
}

const curie = ({ prefixes }: Names, text: string): string | undefined => {
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  const reference = text.slice(colon + 1)
  if (text.startsWith('_:')) return text
  if (reference.startsWith('//')) return undefined
  const prefix =
    colon === 0
      ? 'http://www.w3.org/1999/xhtml/vocab#'
      : findPrefix(prefixes, text.slice(0, colon).toLowerCase())
  return prefix === undefined ? undefined : prefix + reference
}

const isAbsolute = (text: string) => /^[a-z][a-z0-9+.-]*:\S/i.test(text)

const resolve = (names: Names, address: string): string =>
  URL.canParse(address, names.base) ? new URL(address, names.base).href : address

/** An address as `href` and `src` have it. */
export const resolveAddress = (names: Names, text: string): string => resolve(names, text.trim())

/** An address or a CURIE, as `about` and `resource` have it; undefined for a safe CURIE that means nothing. */
export const resolveResource = (names: Names, text: string): string | undefined => {
  const trimmed = text.trim()
  if (trimmed.startsWith('[') && trimmed.endsWith(']')) return curie(names, trimmed.slice(1, -1))
  return curie(names, trimmed) ?? resolve(names, trimmed)
}

/** A term, a CURIE or an absolute address, as `property` and `typeof` have it; undefined for a word that means nothing. */
export const resolveTerm = (names: Names, text: string): string | undefined => {
  if (text.includes(':')) return curie(names, text) ?? (isAbsolute(text) ? text : undefined)
  if (!/^[\p{L}_][^\s:]*$/u.test(text)) return undefined
  return names.vocabulary === undefined ? initialTerms[text.toLowerCase()] : names.vocabulary + text
}

/** All names in an attribute, each once. */
export const namesIn = (names: Names, text: string | undefined): string[] => {
  if (!text) return []
  const words = text.split(/\s+/).filter(word => word !== '')
  return [...new Set(words.flatMap(word => resolveTerm(names, word) ?? []))]
}
