import { parse } from 'tldts'
import * as z from 'zod'
import { factTable, words } from '../../facts.ts'

const wordSet = z.array(words).transform(lines => new Set(lines.flat()))

const sites = factTable(
  new URL('./data/sites.json', import.meta.url),
  z.strictObject({
    /** Sites and technologies that offers name without offering themselves: third parties, by registrable domain. */
    thirdParties: wordSet,
    /** Sites on which an address with a path is a person's or a company's own page. */
    profiles: wordSet,
    /** Sites that are there to be contacted at, or to hide where a link leads. */
    contactSites: wordSet,
    /** Houses under whose name everybody has a site of his own. */
    hosting: wordSet,
    /** Suffixes that are also endings of files or of names in code: a bare word with one is seldom an address. */
    fileSuffixes: wordSet,
    /** Suffixes that are also everyday words, so that a missing space makes an address of two sentences. */
    wordSuffixes: wordSet,
    /** Suffixes that somebody spells out or hides; others come up by chance in text that is turned around. */
    commonSuffixes: wordSet,
    /** Longer suffixes that people trade under; after a spelled dot they are no words of a sentence. */
    tradeSuffixes: wordSet,
  }),
)

/** Top-level names for documents and private networks (RFC 2606, RFC 6761), and names of wallets, that hosts are written with. */
const otherSuffixes = new Set(['example', 'invalid', 'onion', 'i2p'])

export type SiteClass = 'contact' | 'profile' | 'third-party' | 'unknown' | 'word' | 'file' | 'none'

const publicBody =
  /(?:^|\.)(?:gov|mil|edu|int)(?:\.[a-z]{2})?$|(?:^|\.)(?:gouv\.fr|europa\.eu|fgov\.be|gv\.at|ac\.[a-z]{2}|belgium\.be|bund\.de|overheid\.nl|gob\.[a-z]{2}|gouv\.[a-z]{2}|admin\.ch|go\.jp|gc\.ca)$/

/** Names that files of a program have. */
export const namesFile =
  /^(?:readme|license|changelog|makefile|main|index|setup|app|config|model|report|data|test|schema|script|train|lib|mod)$/

/** Classifies a host for a reader of an offer; `none` for what is no name of a host. */
export const classifySite = (name: string): SiteClass => {
  const host = name.toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  const suffix = labels.at(-1) ?? ''
  if (host === 'localhost' || labels.some(label => label === '')) return 'none'
  if (sites().contactSites.has(host)) return 'contact'
  if (otherSuffixes.has(suffix)) return 'unknown'
  if (host === 'notion.so') return 'profile'
  const { isIcann, domain } = parse(host)
  if (isIcann !== true || domain === null) return 'none'
  if (sites().contactSites.has(domain)) return 'contact'
  const last = (count: number) => labels.slice(-count).join('.')
  if (
    labels.length > 2 &&
    sites().hosting.has(last(2)) &&
    !/^(?:www|api|docs|help|support|status|blog|app)$/.test(labels[0] ?? '')
  )
    return 'unknown'
  if (sites().profiles.has(domain)) return 'profile'
  if (sites().thirdParties.has(domain) || sites().thirdParties.has(host) || publicBody.test(host))
    return 'third-party'
  const isShort = labels.length === 2
  const first = labels[0] ?? ''
  if (isShort && (sites().fileSuffixes.has(suffix) || namesFile.test(first))) return 'file'
  if (isShort && (sites().wordSuffixes.has(suffix) || first.length === 1)) return 'word'
  return 'unknown'
}

/** True when a suffix is one that hidden addresses end in. */
export const isCommonSuffix = (suffix: string): boolean => {
  const plain = suffix.toLowerCase()
  return sites().commonSuffixes.has(plain) || sites().tradeSuffixes.has(plain)
}

/** True when a name ends in a suffix that exists. */
export const hasSuffix = (name: string): boolean => {
  const host = name.toLowerCase()
  return otherSuffixes.has(host.split('.').at(-1) ?? '') || parse(host).isIcann === true
}
