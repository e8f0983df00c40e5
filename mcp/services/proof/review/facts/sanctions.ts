import { asList, isRecord, parseRecord } from '../../../../lib/json.ts'
import { type Fact, partial, wide } from './fact.ts'

const listedWords =
  /\b(?:on\s+the\s+(?:\w+\s+){0,3}list|listed|sanctioned|SDNs?|designated|blocked\s+persons?)\b/i
const notListed =
  /\b(?:not|none|neither|no|un)\s?(?:of\s+\w+\s+)?(?:is\s+|are\s+)?(?:on\s+(?:the|any)|listed|sanctioned|designated)/i
const ownerWords = /\b(?:own(?:s|ed)?|hold(?:s|ing)?|held|shareholders?|stakes?|control(?:s|led)?|shares?)\b/i

/** The highest share that those on a list hold together, in the words of one sentence. */
const listedShare = (text: string): number => {
  let highest = 0
  for (const sentence of text.slice(0, 20_000).split(/\n|(?<=[!?;]|[^A-Z]\.)\s/)) {
    if (!ownerWords.test(sentence) || !listedWords.test(sentence) || notListed.test(sentence)) continue
    const listed = sentence.split(/\b(?:the\s+rest|the\s+remaining|the\s+other)\b/i)[0] ?? ''
    const own = listed.split(/[,;]|\band\b/).filter(part => /\d\s?%/.test(part) && listedWords.test(part))
    const stated = own.length >= 2 ? own.join(',') : listed
    let sum = 0
    for (const [, share] of stated.matchAll(/(?<![\d.])(\d{1,3}(?:\.\d{1,3})?)\s?(?:%|per\s?cent)/g))
      sum += Number(share)
    if (sum <= 100) highest = Math.max(highest, sum)
  }
  return highest
}

const isListed = (owner: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(owner).some(
    ([key, value]) =>
      /listed|sanction|sdn|hit|match|status|list/i.test(key) &&
      (value === true ||
        (typeof value === 'string' &&
          /^(?!.*\b(?:no|not|none|clear|false)\b).*(?:sdn|listed|sanction|ofac|eu|un|true|yes|designated)/i.test(
            value,
          ))),
  )

/** The share that the listed owners of a record hold together. */
const listedOwners = (record: Readonly<Record<string, unknown>>): number =>
  Object.entries(record)
    .filter(([key]) => /owner|shareholder|ubo|holder/i.test(key))
    .flatMap(([, value]) => asList(value))
    .filter(isRecord)
    .filter(isListed)
    .reduce((sum, owner) => {
      const share = Object.entries(owner).find(([key]) =>
        /share|pct|percent|stake|owns|interest/i.test(key),
      )?.[1]
      return sum + (Number.parseFloat(String(share)) || 0)
    }, 0)

const scorePattern =
  /\b(?:match|similarity|name)[ _]?(?:score|strength)?["']?\s*(?:of|:|=|is)\s*["']?(\d{1,3}(?:\.\d{1,4})?)\s?(%)?|\b(\d{1,3}(?:\.\d{1,4})?)\s?%\s+(?:name\s+)?(?:match|similar)/i
const clearance =
  /\b(?:cleared?|no\s+restriction|proceed|approve[ds]?|released?|onboard(?:ed)?|false\s+positive|passed?|may\s+be\s+paid)\b/i
/** Two identifiers that differ tell a likeness of names apart. */
const differs =
  /\b(?:differ\w*|different|mismatch\w*|do(?:es)?\s+not\s+match|not\s+the\s+same|other\s+than|unlike)\b/i
const identifiers =
  /\b(?:dob|birth|born|gender|nationalit(?:y|ies)|passports?|citizen\w*|middle\s+names?|id\s+(?:card|number)s?|address(?:es)?|country|imo|registration|tax|lei)\b/gi

/** Checks counts in a screening: listed owners at or above one half (OFAC's 50 % rule), and a cleared strong match. */
export const checkScreening = (text: string): Fact[] => {
  const facts: Fact[] = []
  const share = Math.max(listedShare(text), listedOwners(parseRecord(text) ?? {}))
  if (share >= 50)
    facts.push({
      ...(clearance.test(text) ? wide : partial)(`Those on a list hold ${share} %.`),
      place: { path: 'owners' },
    })
  const [, first, isPercent, second] = scorePattern.exec(text.replaceAll('_', ' ')) ?? []
  const score =
    first !== undefined ? Number(first) * (isPercent || Number(first) > 1 ? 1 : 100) : Number(second ?? 0)
  const isToldApart =
    differs.test(text) && new Set(text.match(identifiers)?.map(word => word.toLowerCase())).size >= 2
  if (score >= 85 && score <= 100 && clearance.test(text) && !isToldApart)
    facts.push({ ...wide(`A match of ${score} % is cleared.`), place: { path: 'match' } })
  return facts.map(fact => ({ ...fact, effect: 'sanctions-listed' }))
}
