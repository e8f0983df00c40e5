import { isIP } from 'node:net'
import { parse } from 'tldts'
import { belgium } from './official/belgium.ts'
import { europeanUnion, international } from './official/europe.ts'
import { further } from './official/further.ts'
import { neighbours } from './official/neighbours.ts'
import { netherlands } from './official/netherlands.ts'
import type { Publisher } from './publisher.ts'
import { unofficial } from './unofficial.ts'

export type Match = {
  official: boolean
  matchedBy: 'list' | 'tld' | 'none'
  publisher: Publisher | null
  /** The listed host or the suffix that matched. */
  matched: string | null
}

export const official = new Map([
  ...europeanUnion,
  ...international,
  ...belgium,
  ...netherlands,
  ...neighbours,
  ...further,
])

const unofficialByHost = new Map(unofficial)

const nobody: Match = { official: false, matchedBy: 'none', publisher: null, matched: null }

/** The host and all above it down to its registrable domain: whole labels only, so that no look-alike matches. */
const upTo = (host: string, registrable: string): string[] => {
  const names = [host]
  for (let at = host; at !== registrable && at.includes('.'); ) {
    at = at.slice(at.indexOf('.') + 1)
    names.push(at)
  }
  return names
}

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
    .find(publisher => publisher)
  if (!country) return null
  const kind = suffix.startsWith('mil.') ? 'military' : 'government'
  return { ...base, country: country === 'uk' ? 'GB' : country.toUpperCase(), kind }
}

/**
 * Who publishes under a host: by the curated list, or by a suffix that the Public Suffix List knows as one and a state keeps
 * for itself. `gov.xx` where anybody could have registered it is none.
 */
export const match = (host: string): Match => {
  if (isIP(host.replace(/^\[|\]$/g, ''))) return nobody
  const { domain, publicSuffix, isIcann } = parse(host)
  const names = upTo(host, domain ?? host)
  for (const name of names) {
    const publisher = official.get(name)
    if (publisher) return { official: true, matchedBy: 'list', publisher, matched: name }
    const other = unofficialByHost.get(name)
    if (other) return { official: false, matchedBy: 'list', publisher: other, matched: name }
  }
  const publisher = isIcann && publicSuffix ? matchStateSuffix(publicSuffix) : null
  if (!publisher) return nobody
  return { official: true, matchedBy: 'tld', publisher, matched: publicSuffix }
}
