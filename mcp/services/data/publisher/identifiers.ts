/** Identifiers of legal texts, as they stand in addresses. */
export type Identifier = {
  scheme: 'ELI' | 'ECLI' | 'CELEX' | 'BWB' | 'CVDR' | 'NUMAC' | 'LEGI' | 'OB' | 'BOE'
  id: string
}

/** Court decisions: country, court, year, ordinal (Council conclusions 2011/C 127/01). */
const ecli = /\bECLI:[A-Z]{2}:[A-Z][A-Z0-9]{0,6}:\d{4}:[A-Z0-9.]{1,25}(?![A-Z0-9])/i

/** Sector, year, kind of document, number, and the date of a consolidated version (EUR-Lex). */
const celex =
  /(?<![0-9A-Z])[0-9CE]\d{4}(?:[A-Z]{1,2}\d{3,4}(?:\(\d{2}\))?(?:R\(\d{2}\))?|[A-Z]{1,2}\/(?:TXT|[A-Z0-9]+))(?:-\d{8})?(?![0-9A-Z])/i

/** The path from `/eli/` on, as every ELI has it (Council conclusions 2012/C 325/02). */
const eli = /\/(eli\/[^?#\s]{3,300})/i

const national: readonly (readonly [Identifier['scheme'], RegExp])[] = [
  ['BWB', /\bBWB[RVW]\d{7}\b/i],
  ['CVDR', /\bCVDR\d{3,7}\b/i],
  ['LEGI', /\b(?:LEGITEXT|LEGIARTI|LEGISCTA|JORFTEXT|JORFARTI|JURITEXT|CETATEXT|CONSTEXT)\d{12}\b/i],
  ['OB', /\b(?:stb|stcrt|trb|gmb|prb|wsb|bgr|kst|ah-tk|h-tk)-\d{4,8}(?:-[a-z0-9]{1,8}){1,2}\b/i],
  ['BOE', /\bBOE-[A-Z]-\d{4}-\d{1,6}\b/i],
]

/** The number under which the Moniteur belge publishes a text: year, two characters, six in all. */
const numac = /[?&](?:numac|numac_search|cn|cn_search)=(\d{4}[0-9A-Z]\d{5})(?!\w)/i

const decodeUrl = (url: string): string => {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/** The identifiers in an address; CELEX numbers count where the address speaks of them or lies under europa.eu. */
export const identifiersIn = (url: string): Identifier[] => {
  const text = decodeUrl(url)
  const { hostname, pathname } = new URL(url)
  const ofUnion = `.${hostname}`.endsWith('.europa.eu') || /celex/i.test(text)
  const identifiers: Identifier[] = []
  const add = (scheme: Identifier['scheme'], id: string | undefined) => {
    if (id) identifiers.push({ scheme, id })
  }
  add('ELI', eli.exec(decodeUrl(pathname))?.[1]?.replace(/\/$/, ''))
  add('ECLI', ecli.exec(text)?.[0].toUpperCase())
  if (ofUnion) add('CELEX', celex.exec(text)?.[0].toUpperCase())
  add('NUMAC', numac.exec(text)?.[1])
  for (const [scheme, pattern] of national) {
    const id = pattern.exec(text)?.[0]
    add(scheme, scheme === 'OB' ? id?.toLowerCase() : id?.toUpperCase())
  }
  return identifiers
}
