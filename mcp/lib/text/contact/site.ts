import { cueBefore } from './cue.ts'
import type { ContactFinding } from './finding.ts'
import { classifySite, isCommonSuffix, namesFile, type SiteClass } from './sites.ts'
import { dotWords, type TextView } from './views.ts'

const address = /(?<![a-z0-9])[a-z][a-z0-9+.-]{1,20}:\s?\/\/[^\s<>"'`|]{3,300}/giu
const bare =
  /(?<![\p{L}\p{N}@._:/-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,5}\p{L}{2,24}(?![\p{L}\p{N}-])(?:(?::\d{2,5})?\/[^\s<>"'`|]{0,200})?/giu
const spacedSitePattern =
  /(?<![\p{L}\p{N}@._-])([\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?) \. ?(\p{L}{2,12})(?![\p{L}\p{N}-])/giu
const spelledSitePattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}@._-])([\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}))((?:\s(?:${dotWords})\s[\p{L}\p{N}-]{2,30}){1,3})(?![\p{L}\p{N}])`,
  'giu',
)

/** How surely a site is a contact, by what it is and what the words before it make of it. */
const scores: Record<Exclude<SiteClass, 'none'>, Record<'reach' | 'look' | 'about' | 'none', number>> = {
  contact: { reach: 1.5, look: 1.2, about: 0.6, none: 1 },
  profile: { reach: 1.2, look: 0.5, about: 0.1, none: 0.3 },
  'third-party': { reach: 0.9, look: 0.2, about: 0, none: 0.1 },
  unknown: { reach: 1.5, look: 1.2, about: 0.4, none: 1 },
  word: { reach: 1.2, look: 0.9, about: 0.1, none: 0.5 },
  file: { reach: 1, look: 0.4, about: 0, none: 0.2 },
}

/** `done.Then` and `System.IO`: a missing space between two sentences, or a name in a program. */
const isSentenceEnd = (host: string): boolean => /\p{Ll}\.\p{Lu}\p{L}*$/u.test(host)

/** Packages that are named by a turned host name, and members of objects in programs. */
const isCode = (text: string, host: string, end: number): boolean =>
  /^(?:com|org|io|net|dev|ai)\.[a-z]/.test(host) || /^\s?\(/.test(text.slice(end, end + 2))

/** Rooms of a group, under the host name of who runs them. */
const workspace =
  /^(?!(?:www|api|app|hooks|status|docs|help)\.)[^.]+\.(?:slack|zulipchat|mattermost|webex)\.com$/i

const depth = (path: string): number =>
  path
    .split(/[?#]/)[0]
    ?.split('/')
    .filter(part => part !== '').length ?? 0

const scoreSite = (
  text: string,
  at: number,
  host: string,
  path: string,
  isWritten: boolean,
  isLast = false,
): number => {
  const kind = classifySite(host)
  if (kind === 'none')
    return isWritten && !/^(?:localhost|\[|[\d.]+$)/.test(host) && host.includes('.') ? 1 : 0
  const cue = cueBefore(text, at)
  if (workspace.test(host)) return cue === 'about' ? 0.5 : 1
  const deep = depth(path)
  // A short link or a room of somebody, whatever is said of it.
  if (kind === 'contact' && deep > 0) return 1.2
  if (/^\/(?:invite|join|users|channels|add|chat|messages)\//i.test(path)) return cue === 'about' ? 0.6 : 1.2
  // On these sites a path is somebody's page; below it are things such as a repository or a post.
  if (kind === 'profile' && deep > 0)
    return cue === 'about' ? 0.5 : deep > 1 && cue !== 'reach' && !/\/in\//.test(path) ? 0.6 : 1.2
  if (kind === 'third-party' && cue === 'reach' && deep > 1) return 0.7
  // A missing space between sentences goes on with words, an address need not.
  const isAddress =
    isWritten ||
    deep > 0 ||
    (isLast &&
      (kind === 'word' || /\.p[lt]$/.test(host)) &&
      /^[\p{L}\p{N}-]{5,}\./u.test(host) &&
      !namesFile.test(host.split('.')[0] ?? ''))
  const whole = (kind === 'word' || kind === 'file') && isAddress ? 'unknown' : kind
  return scores[whole][cue ?? 'none']
}

const writtenSites = (text: string): ContactFinding[] =>
  [...text.matchAll(address)].flatMap(match => {
    const [name] = match
    const rest = name.replace(/^[^:]+:\s?\/\//, '').replace(/[.,;:!?)\]}]+$/, '')
    const authority = rest.split(/[/?#]/)[0] ?? ''
    const host = authority.replace(/^[^@]*@/, '').replace(/:\d+$/, '')
    if (/^(?:[\d.]+|\[.*)$/.test(host)) return []
    const score = scoreSite(text, match.index, host, rest.slice(authority.length), true)
    return [{ kind: 'url', at: match.index, text: name, score }]
  })

const bareSites = (text: string, turned: boolean): ContactFinding[] =>
  [...text.matchAll(bare)].flatMap(match => {
    const [name] = match
    const [host = ''] = name.split(/[:/]/)
    const end = match.index + host.length
    if (text[end] === '@' || isCode(text, host, match.index + name.length)) return []
    if (turned && !/\.(?:com|net|org|dev|app|info|xyz|io)$/i.test(host)) return []
    const isWww = /^www\./i.test(host)
    const isLast = /^(?:\s*$|[,;!?)\]\n])/.test(text.slice(match.index + name.length))
    const bareHost = isWww ? host.slice(4) : host
    const score = scoreSite(text, match.index, bareHost, name.slice(host.length), isWww, isLast)
    return [
      {
        kind: 'url',
        at: match.index,
        text: name,
        score: isSentenceEnd(host) && score < 1.5 ? score - 0.6 : score,
      },
    ]
  })

/** Words before a spelled dot that make no host name of it. */
const noLabel =
  /^(?:the|a|an|in|with|using|of|for|and|or|to|on|is|this|that|one|each|every|red|green|blue|black|polka|per|asp|vb|ado|some|any|big|bullet|data|starting|end|entry|end-?point|decimal|price|power|du|de|le|la|un|el|il|lo|al|an|am|zum|der|die|das|ein|к|в|и)$/iu

const spelledSites = (text: string): ContactFinding[] =>
  [...text.matchAll(spelledSitePattern)].flatMap(match => {
    const [name, label = '', rest = ''] = match
    const labels = rest.split(new RegExp(String.raw`\s(?:${dotWords})\s`, 'iu')).filter(part => part !== '')
    const suffix = labels.at(-1) ?? ''
    const host = [label, ...labels].join('.')
    const kind = classifySite(host)
    if (
      noLabel.test(label) ||
      kind === 'none' ||
      /^(?:core|framework)/i.test(text.slice(match.index + name.length + 1))
    )
      return []
    // `punto de`, `point to`, `dot in`: words of a sentence.
    const isSentence =
      !isCommonSuffix(suffix) ||
      (!/[-\d]/.test(label) && /^(?:de|es|it|in|to|so|me|us|at|be|se|la|no|is|al)$/i.test(suffix))
    const cue = cueBefore(text, match.index)
    const sure =
      kind === 'third-party' || kind === 'profile' ? scores[kind][cue ?? 'none'] : cue === 'about' ? 0.7 : 1.2
    return [{ kind: 'url', at: match.index, text: name, score: isSentence && cue !== 'reach' ? 0.5 : sure }]
  })

const spacedSites = (text: string): ContactFinding[] =>
  [...text.matchAll(spacedSitePattern)].flatMap(match => {
    const [name, label = '', suffix = ''] = match
    const kind = classifySite(`${label}.${suffix}`)
    if (kind === 'none' || noLabel.test(label) || !isCommonSuffix(suffix)) return []
    // `uses .NET`: a name that begins with a dot.
    if (/ \.\p{L}/u.test(name))
      return [{ kind: 'url', at: match.index, text: name, score: /net$/i.test(name) ? 0 : 0.6 }]
    const cue = cueBefore(text, match.index)
    const isWeak = kind === 'word' || /^(?:in|is|it|to|no|me|as|at|be|by|my|us|am|so)$/i.test(suffix)
    return [
      {
        kind: 'url',
        at: match.index,
        text: name,
        score: cue === 'about' ? 0.5 : isWeak && cue !== 'reach' ? 0.5 : 1,
      },
    ]
  })

const ipv4 = /(?<![\d.\p{L}-])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)(?::\d{2,5})?(?:\/\d{1,2}(?!\d))?/gu
const ipv6 =
  /(?<![\p{L}\p{N}:])\[?(?:[0-9a-f]{1,4}:){2,7}(?::|[0-9a-f]{1,4}|:[0-9a-f]{1,4})(?::[0-9a-f]{1,4}){0,6}\]?(?::\d{2,5})?(?![\p{L}\p{N}:])/giu
const isPublicFact = /^(?:127\.|0\.0\.0\.0|255\.|8\.8\.[84]\.[84]|1\.[01]\.[01]\.1|9\.9\.9\.9)/
const isVersion =
  /(?<!\p{L})(?:version|v|release|build|firmware|kernel|driver|chrome|update|section|clause|chapter|rfc|iso|oid|ver)\.? ?$/iu

const ips = (text: string): ContactFinding[] =>
  [...text.matchAll(ipv4)].flatMap(match => {
    const [name] = match
    const octets = (name.split(/[:/]/)[0] ?? '').split('.').map(Number)
    const before = text.slice(Math.max(0, match.index - 16), match.index)
    if (octets.some(octet => octet > 255) || isPublicFact.test(name) || isVersion.test(before)) return []
    if (/\/\d{1,2}$/.test(name)) return []
    const cue = cueBefore(text, match.index)
    const isPlace = name.includes(':') || /:\/\/$/.test(before)
    const score =
      (isPlace ? 1 : 0.7) + (cue === 'reach' || cue === 'look' ? 0.5 : cue === 'about' && !isPlace ? -0.4 : 0)
    return [{ kind: 'url', at: match.index, text: name, score }]
  })

const ip6s = (text: string): ContactFinding[] =>
  [...text.matchAll(ipv6)].flatMap(match => {
    const [name] = match
    const groups = name.match(/[0-9a-f]+/gi) ?? []
    const isTime = groups.every(group => /^\d{1,2}$/.test(group)) || groups.length < 3
    const isMac = !name.includes('::') && groups.length < 8
    if (isTime || isMac) return []
    return [
      {
        kind: 'url',
        at: match.index,
        text: name,
        score: cueBefore(text, match.index) === 'about' ? 0.5 : 1,
      },
    ]
  })

/** `www agents io`: blanks stand for the dots. */
const wwwSites = (text: string): ContactFinding[] =>
  [
    ...text.matchAll(
      /(?<![\p{L}\p{N}.])www[ ,/.]+([\p{L}\p{N}-]{2,60})[ ,/.]+(\p{L}{2,12})(?![\p{L}\p{N}])/giu,
    ),
  ]
    .filter(([, , suffix = '']) => isCommonSuffix(suffix))
    .map(match => ({ kind: 'url', at: match.index, text: match[0], score: 1.2 }))

/** `agents,com`: a slip of the finger, or made to look like one. */
const commaSites = (text: string): ContactFinding[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}.,@-])[\p{L}\p{N}-]{4,60},(\p{L}{2,6})(?![\p{L}\p{N},.-])/giu)]
    .filter(([, suffix = '']) => isCommonSuffix(suffix))
    .map(match => ({
      kind: 'url',
      at: match.index,
      text: match[0],
      score:
        /^(?:com|net|org|io)$/i.test(match[1] ?? '') || cueBefore(text, match.index) === 'reach' ? 1 : 0.5,
    }))

/** `order directly at agents io`: a name and a suffix after the words that send somebody there. */
const sentSites = (text: string): ContactFinding[] =>
  [
    ...text.matchAll(
      /(?<=(?:at|on|via|visit|from|under) )([\p{L}\p{N}-]{4,40}) (com|net|org|io|dev|ai|app|xyz)(?![\p{L}\p{N}-])/giu,
    ),
  ]
    .filter(({ index, 1: label = '' }) => !noLabel.test(label) && cueBefore(text, index) === 'reach')
    .map(match => ({ kind: 'url', at: match.index, text: match[0], score: 1 }))

const suffixWords = '(?:com|net|org|io|dev|ai|app|xyz|eu|de|fr|nl|co)'

/** `put .com behind it`, `it ends in dot io`: the suffix of a name that stands elsewhere in the text. */
const apart = new RegExp(
  String.raw`(?<!\p{L})(?:(?:put|add|append|attach|type|write|stick|insert|plus) (?:an? |the )?["'“]?(?:dot |\.)${suffixWords}(?!\p{L})|(?:it|and|name|site|page|domain|ending|address) (?:is |ends? |ending )(?:in |with |is )?(?:an? )?["'“]?(?:dot |\.)${suffixWords}(?!\p{L})|(?:followed by|then|and then|ending(?: is)?) (?:an? )?["'“]?(?:dot |\.)${suffixWords}(?![\p{L}]| (?:domains?|names?|sites?|addresses)))`,
  'giu',
)

const apartSites = (text: string): ContactFinding[] =>
  [...text.matchAll(apart)].map(match => ({
    kind: 'url',
    at: match.index,
    text: match[0],
    score: cueBefore(text, match.index) === 'about' ? 0.5 : 1,
  }))

/** Three words of a place on the map. */
const placeWords = (text: string): ContactFinding[] =>
  [
    ...text.matchAll(
      /(?:what ?(?:three|3) ?words?\W{1,4}|\/\/\/ ?)\p{L}{3,20}\.\p{L}{3,20}\.\p{L}{3,20}(?![\p{L}.])/giu,
    ),
  ].map(match => ({ kind: 'url', at: match.index, text: match[0], score: 1 }))

/** Sites and addresses of hosts in one reading of a text. */
export const findSites = ({ text, turned }: TextView): ContactFinding[] =>
  turned
    ? bareSites(text, true)
    : [
        ...writtenSites(text),
        ...bareSites(text, false),
        ...spacedSites(text),
        ...wwwSites(text),
        ...sentSites(text),
        ...commaSites(text),
        ...spelledSites(text),
        ...ips(text),
        ...ip6s(text),
        ...apartSites(text),
        ...placeWords(text),
      ]
