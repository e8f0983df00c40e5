import { isIP } from 'node:net'
import { parse } from 'tldts'
import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'
import { nameAndParents } from '../dns/parents.ts'

const kinds = [
  ...['archive', 'authority', 'central-bank', 'commercial', 'court', 'encyclopedia', 'gazette', 'government'],
  ...['international', 'legislation', 'military', 'parliament', 'register', 'research'],
] as const

/** Body behind a host. `country` is ISO 3166-1 alpha-2, `EU`, or null for international bodies. */
export type Publisher = {
  name: string | null
  country: string | null
  kind: (typeof kinds)[number]
  level: 'eu' | 'international' | 'national' | 'regional' | null
}

/** Each host stands for itself and what is below it. */
const publishers = factTable(
  new URL('./data/publishers.json', import.meta.url),
  z
    .array(
      z.strictObject({
        host: z.string().regex(/^[a-z0-9.-]+\.[a-z]+$/),
        name: z.string().min(1),
        kind: z.enum(kinds),
        country: z.string().length(2).nullable().default(null),
        level: z.enum(['eu', 'international', 'national', 'regional']).nullable().default(null),
        official: z.boolean().default(true),
      }),
    )
    .transform(rows => new Map(rows.map(({ host, ...row }) => [host, row]))),
)

/** The hosts of official publishers. */
export const officialHosts = (): string[] =>
  [...publishers()].flatMap(([host, { official }]) => (official ? [host] : []))

export type PublisherMatch = {
  official: boolean
  matched_by: 'list' | 'tld' | 'none'
  publisher: Publisher | null
  /** The listed host or the suffix that matched. */
  matched: string | null
}

const nobody: PublisherMatch = { official: false, matched_by: 'none', publisher: null, matched: null }

/** Second-level suffixes that states keep for their own bodies; `go` is a province of Italy, so it counts in few. */
const reservedSuffix =
  /^(?:(?:gov|gouv|gob|gub|mil)\.([a-z]{2})|go\.(cr|id|jp|ke|kr|th|tz|ug)|gv\.(ao|at)|govt\.(nz)|gc\.(ca))$/

const matchStateSuffix = (suffix: string): Publisher | null => {
  const base = { name: null, country: null, level: 'national' } as const
  if (suffix === 'gov') return { ...base, country: 'US', kind: 'government' }
  if (suffix === 'mil') return { ...base, country: 'US', kind: 'military' }
  if (suffix === 'int') return { ...base, kind: 'international', level: 'international' }
  const country = reservedSuffix
    .exec(suffix)
    ?.slice(1)
    .find(code => code !== undefined)
  if (!country) return null
  const kind = suffix.startsWith('mil.') ? 'military' : 'government'
  return { ...base, country: country === 'uk' ? 'GB' : country.toUpperCase(), kind }
}

/**
 * Who publishes under a host: by the curated list, or by a suffix that the Public Suffix List knows as one and a state keeps
 * for itself. `gov.xx` where anybody could have registered it is none.
 */
export const match = (host: string): PublisherMatch => {
  if (isIP(host.replace(/^\[|\]$/g, ''))) return nobody
  const { domain, publicSuffix, isIcann } = parse(host)
  for (const matched of nameAndParents(host)) {
    const row = publishers().get(matched)
    if (row) {
      const { official, ...publisher } = row
      return { official, matched_by: 'list', publisher, matched }
    }
    if (matched === (domain ?? host)) break
  }
  const publisher = isIcann && publicSuffix ? matchStateSuffix(publicSuffix) : null
  if (!publisher) return nobody
  return { official: true, matched_by: 'tld', publisher, matched: publicSuffix }
}
