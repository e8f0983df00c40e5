import { stripAllInvisible } from '../../../lib/text/invisible.ts'
import type { Check } from '../check/check.ts'
import type { Findings } from './gather.ts'
import { toEvidence } from './look.ts'
import { toCheck } from './make-check.ts'

/** Words that say nothing of what is needed. */
const fillers = new Set(
  'a an and any are as at be best by can cheap could do fast find for free from get give good have help how i in into is it like make me my need needs of on one or our please provide provider provides service services some someone somebody that the their them this to tool tools agent agents api use using want what which who will with would you your'.split(
    ' ',
  ),
)

const endings =
  /(?:i[sz]ations?|i[sz]ings?|i[sz]e[drs]?|i[sz]e|ations?|ators?|ating|ate[drs]?|ings?|ers?|ors?|ies|ied|ions?|ed|es|s|e|y)$/

/** A word without its ending, so that `translation`, `translates` and `translator` are one. */
const toStem = (word: string): string => {
  const stem = word.replace(endings, '')
  return stem.length >= 3 ? stem : word
}

const plain = (text: string): string => stripAllInvisible(text.normalize('NFKC'))

/** The words of a text, those of names such as `getWeather` and `get_weather` apart. */
const parseWords = (text: string): string[] =>
  plain(text)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const isSameWord = (one: string, other: string): boolean => {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short === long || (short.length >= 5 && long.startsWith(short))
}

/** True when what is offered covers a need: at least half of the words of the need that say something. */
export const coversNeed = (need: string, offered: readonly string[]): boolean => {
  const words = parseWords(need)
  const telling = words.filter(word => !fillers.has(word))
  const wanted = [...new Set((telling.length > 0 ? telling : words).map(toStem))]
  const text = plain(offered.join(' \n ')).toLowerCase()
  const stems = new Set(offered.flatMap(parseWords).map(toStem))
  const covered = wanted.filter(
    stem =>
      [...stems].some(other => isSameWord(stem, other)) ||
      // Scripts without spaces between words have no words to compare.
      (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(stem) &&
        text.includes(stem)),
  )
  return wanted.length > 0 && covered.length * 2 >= wanted.length
}

/** Texts by which a candidate says what it does, and the few of them that are names of something it does. */
const collectOffers = ({ candidate, card, tools, quote, listings, endpoint }: Findings) => {
  const facts = typeof card?.facts === 'object' ? card.facts : undefined
  const entries = [candidate, ...listings]
  const names = [
    ...(facts?.skills.map(({ name }) => name) ?? []),
    ...(tools?.names ?? []),
    ...entries.flatMap(({ capabilities }) => capabilities),
    ...(quote?.tags ?? []),
  ]
  const descriptions = [
    ...(facts ? [facts.name, facts.description] : []),
    ...(facts?.skills.flatMap(({ id, description, tags }) => [id, description, ...tags]) ?? []),
    ...(tools?.descriptions ?? []),
    ...entries.flatMap(({ description, source, name }) => (source === 'address' ? [] : [name, description])),
    quote?.description,
  ].flatMap(text => (text ? [text] : []))
  const words = new URL(endpoint).pathname.split('/').filter(part => /^[a-z][a-z_-]{3,}$/i.test(part))
  return { names: [...new Set(names)], descriptions, words }
}

const maxNames = 12

/** Lists abilities a candidate claims, in a few names. */
export const listOffers = (findings: Findings): string[] => {
  const { names, descriptions } = collectOffers(findings)
  return (names.length > 0 ? names : descriptions.slice(0, 2)).slice(0, maxNames)
}

/** True when it says that it does what is needed. */
export const capabilityCheck = (findings: Findings, need: string): Check => {
  const { names, descriptions, words } = collectOffers(findings)
  const { card, service, probes } = findings
  const evidence = [card?.look, service].flatMap(look => (look?.fetched ? [toEvidence(look)] : []))
  const [last] = probes
  const probeEvidence =
    findings.tools && last ? [{ url: last.target, observed_at: last.at, digest: last.proof_digest }] : []
  const all = [...names, ...descriptions]
  if (coversNeed(need, [...all, ...words]))
    return toCheck('capability_match', 'pass', 'It says that it does what is needed.', [
      ...evidence,
      ...probeEvidence,
    ])
  if (all.length === 0)
    return toCheck('capability_match', 'unknown', 'It says nothing of what it does.', evidence)
  const offers = listOffers(findings).join(', ')
  return toCheck(
    'capability_match',
    'fail',
    `Nothing it offers is what is needed. It offers: ${offers}.`,
    [...evidence, ...probeEvidence],
    'quotes strangers',
  )
}
