import { cueBefore } from './cue.ts'
import type { ContactFinding } from './finding.ts'
import { hasSuffix, isCommonSuffix } from './sites.ts'
import { atWords, dotWords, type TextView } from './views.ts'

const local = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}._%+'-]{0,63})`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})`
const someDot = `(?: ?[.,] ?| (?:${dotWords}) )`

/** `ada@agents.dev`, with blanks around its signs and with the dots spelled. */
const plainAddressPattern = new RegExp(`${local} ?@ ?${label}(?:${someDot}${label}){1,5}`, 'giu')

/** `ada at agents dot dev`. */
const spelledAddressPattern = new RegExp(
  `(${local}) (?:${atWords}) (${label}(?:${someDot}${label}){1,4})`,
  'giu',
)

const providers =
  'gmail|googlemail|g-mail|gmai1|hotmail|outlook|yahoo|ymail|proton|protonmail|pm|icloud|gmx|web|mail|yandex|ya|qq|163|126|tutanota|tuta|fastmail|live|aol|zoho|hey|posteo|mailbox|libero|orange|free|laposte|wanadoo|t-online|seznam|wp|o2|rediff|naver|daum'

/** `ada@gmail`: a provider whose suffix goes without saying. */
const atProvider = new RegExp(String.raw`${local} ?@ ?(?:${providers})(?![\p{L}\p{N}@-])(?!\.\p{L})`, 'giu')
const spelledProvider = new RegExp(
  String.raw`(${local}(?: (?:${dotWords}) ${local})?) (?:${atWords}) (?:gmail|googlemail|hotmail|proton ?mail|proton me|yahoo|icloud|gmx|outlook)(?![\p{L}\p{N}-])`,
  'giu',
)

/** `ada@agents com`: a blank stands for the dot. */
const dotless = new RegExp(
  String.raw`${local} ?@ ?[\p{L}\p{N}-]{2,40}(?: | ?[,/] ?|_)(?:com|net|org|io|dev|ai|de|fr|es|it|nl|eu|co|uk)(?![\p{L}\p{N}-])`,
  'giu',
)
/** A message that is an address and nothing else, its suffix left out. */
const onlyLocal = /^\s*[\p{L}\p{N}._%+-]{2,40} ?@ ?\p{L}[\p{L}-]{3,40}\s*$/giu
const mailto = /(?<![\p{L}\p{N}])mailto: ?[\p{L}\p{N}]/giu

const dotBefore = new RegExp(` (?:${dotWords}) $`, 'iu')

/** Suffixes of other alphabets as they are said. */
const spokenSuffix: Readonly<Record<string, string>> = { ру: 'ru', ком: 'com', нет: 'net', орг: 'org' }

const hostPart = (text: string): string => text.slice(text.search(/@/) + 1)

const toHost = (text: string): string =>
  text
    .replace(new RegExp(` (?:${dotWords}) `, 'giu'), '.')
    .replace(/,/g, '.')
    .replace(/ /g, '')
    .replace(/(?<=\.)(?:ру|ком|нет|орг)$/iu, suffix => spokenSuffix[suffix.toLowerCase()] ?? suffix)

/** Versions of packages, remotes of repositories: an `@` that is nobody's address. */
const isTechnical = (whole: string, host: string, after: string): boolean =>
  /^git ?@/i.test(whole) ||
  /^v?\d/.test(host) ||
  (/^:/.test(after) && /^\w+@(?:github|gitlab|bitbucket)/i.test(whole))

const isPlaceholder = (host: string): boolean =>
  /(?:^|\.)(?:example|test|invalid|domain|company)\.?(?:com|org|net)?$/i.test(host)

const addresses = (text: string): ContactFinding[] =>
  [...text.matchAll(plainAddressPattern)].flatMap(match => {
    const [whole] = match
    const host = toHost(hostPart(whole))
    if (isTechnical(whole, host, text.slice(match.index + whole.length))) return []
    const isLoose = /\s|,/.test(whole)
    const isPlausible =
      /\.\p{L}{2,}/u.test(host) &&
      (!isLoose ||
        hasSuffix(host) ||
        host.split('.').some((_, at, all) => at > 0 && hasSuffix(all.slice(0, at + 1).join('.'))))
    if (!isPlausible) return []
    const isSample = isPlaceholder(host) && cueBefore(text, match.index) === 'about'
    return [{ kind: 'email', at: match.index, text: whole, score: isSample ? 0.5 : 1.5 }]
  })

const spelledAddresses = (text: string): ContactFinding[] =>
  [...text.matchAll(spelledAddressPattern)].flatMap(match => {
    const [whole, name = '', rest = ''] = match
    const labels = toHost(rest).split('.')
    // What follows the suffix may be the next sentence.
    const end = labels.findIndex(
      (suffix, at) => at > 0 && isCommonSuffix(suffix) && hasSuffix(labels.slice(0, at + 1).join('.')),
    )
    if (end < 0) return []
    const isDotted = /\p{L}\.\p{L}/u.test(rest)
    // `data at github.com` is a site, and judged as one.
    if (isDotted && !/[\d._+-]/.test(name)) return []
    const suffix = labels[end] ?? ''
    // `mueller at web dot de`: a house of mail boxes is no word.
    const isProvider = new RegExp(`^(?:${providers})$`, 'i').test(labels[end - 1] ?? '')
    const isSpelledName = dotBefore.test(text.slice(Math.max(0, match.index - 16), match.index))
    const isForeign = !/ at /i.test(whole) || / (?:punkt|punto|ponto|kropka|точка) /iu.test(whole)
    const isWord = !isForeign && /^(?:de|es|it|in|to|so|me|us|at|be|se|no)$/i.test(suffix)
    return [
      {
        kind: 'email',
        at: match.index,
        text: whole,
        score:
          isWord && !isProvider && !isDotted && !isSpelledName && cueBefore(text, match.index) !== 'reach'
            ? 0.7
            : 1.3,
      },
    ]
  })

const bareProviders = (text: string): ContactFinding[] => [
  ...[...text.matchAll(atProvider)].map(match => ({
    kind: 'email' as const,
    at: match.index,
    text: match[0],
    score: 1.2,
  })),
  ...[dotless, mailto, onlyLocal].flatMap(pattern =>
    [...text.matchAll(pattern)].map(match => ({
      kind: 'email' as const,
      at: match.index,
      text: match[0],
      score: cueBefore(text, match.index) === 'about' ? 0.6 : 1.1,
    })),
  ),
  ...[...text.matchAll(spelledProvider)].map(match => ({
    kind: 'email' as const,
    at: match.index,
    text: match[0],
    score: /[\d._+ -]/.test(match[1] ?? '') || cueBefore(text, match.index) === 'reach' ? 1.2 : 0.6,
  })),
]

/** Mail addresses in one reading of a text. */
export const findContactEmails = ({ text, turned }: TextView): ContactFinding[] => {
  const whole = addresses(text)
  if (turned)
    return whole.filter(({ text: address }) =>
      isCommonSuffix(toHost(hostPart(address)).split('.').at(-1) ?? ''),
    )
  return [...whole, ...spelledAddresses(text), ...bareProviders(text)]
}
