import { isIP } from 'node:net'
import { parse } from 'tldts'
import { distance } from '../../../lib/text/distance.ts'
import { skeleton } from '../../../lib/text/skeleton.ts'
import { officialHosts } from './match.ts'

/** The official host that a name may be taken for, and by what. */
export type Lookalike = { of: string; how: 'embedded' | 'homoglyph' | 'other_suffix' | 'typo' }

/** Words that many own: a name made of one is nobody's likeness. */
const common = new Set(
  `belgie belgique belgium canada camera congreso courts europe finances government judiciary justice kadaster legislation
  parlament parlement parliament public senate senato service-public vlaanderen wallonie`.split(/\s+/),
)

type Target = { host: string; domain: string; label: string; suffix: string; looks: string }

const toTargets = (hosts: readonly string[]): Target[] =>
  hosts.flatMap(host => {
    const { domain, domainWithoutSuffix: label, publicSuffix: suffix } = parse(host)
    return domain && label && suffix ? [{ host, domain, label, suffix, looks: skeleton(domain) }] : []
  })

let cachedTargets: Target[] | undefined
const targets = (): Target[] => {
  cachedTargets ??= toTargets(officialHosts())
  return cachedTargets
}

/** Suffixes of states as they are worked into other names. */
const stateSuffixes = 'europa.eu gov.uk gouv.fr overheid.nl fgov.be bund.de gv.at admin.ch'.split(' ')

const withDots = (host: string) => `.${host.replaceAll('-', '.')}.`

const findEmbedded = (host: string): string | undefined => {
  const within = withDots(host)
  const matches = officialHosts().filter(key => key.length >= 8 && within.includes(withDots(key)))
  const longestMatch = matches.sort((a, b) => b.length - a.length)[0]
  return longestMatch ?? stateSuffixes.find(suffix => within.includes(withDots(suffix)))
}

/** Edits that may be slips: none in short names, where everything is near to everything. */
const slipsIn = (label: string): number => {
  if (label.length < 6) return 0
  return label.length < 9 ? 1 : 2
}

const shortestHost = (candidates: readonly Target[]): string | undefined =>
  candidates.map(({ host }) => host).sort((a, b) => a.length - b.length)[0]

/** True when a host that is not official looks like one that is. Null when it does not. */
export const lookalike = (host: string): Lookalike | null => {
  const { domain, domainWithoutSuffix: label, publicSuffix: suffix } = parse(host)
  if (isIP(host.replace(/^\[|\]$/g, '')) || !domain || !label) return null
  const inside = findEmbedded(host)
  if (inside) return { of: inside, how: 'embedded' }
  const looks = skeleton(domain)
  const twin = shortestHost(targets().filter(target => target.looks === looks && target.domain !== domain))
  if (twin) return { of: twin, how: 'homoglyph' }
  if (common.has(label)) return null
  const namesake = shortestHost(
    targets().filter(target => target.label === label && target.suffix !== suffix && label.length >= 6),
  )
  if (namesake) return { of: namesake, how: 'other_suffix' }
  const near = shortestHost(
    targets().filter(target => {
      const slips = slipsIn(target.label)
      if (slips === 0 || common.has(target.label) || target.suffix !== suffix) return false
      const edits = distance(label, target.label, slips)
      return edits > 0 && edits <= slips
    }),
  )
  return near ? { of: near, how: 'typo' } : null
}
