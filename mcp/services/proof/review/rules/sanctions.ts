import { asList, isRecord } from '../../../../lib/json.ts'
import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const lists =
  /\b(?:OFAC|SDN|UN\s+(?:consolidated|sanctions|security\s+council)|(?:EU|UN|UK)\s+lists?|EU\s+(?:consolidated|sanctions|financial)|HMT|OFSI|UK\s+sanctions|SECO|DFAT|consolidated\s+list)\b/i
const date =
  /\b(?:20\d{2}-\d{2}-\d{2}|\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s+20\d{2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s+\d{1,2},?\s+20\d{2})\b/i
const clears =
  /\b(?:clear(?:ed)?|no\s+(?:match(?:es)?|hits?)|not\s+sanctioned|pass(?:ed)?|proceed|approve[ds]?|safe\s+to\s+(?:pay|trade|onboard)|negative|low\s+risk|false\s+positive)\b/i
const embargoed =
  /\b(?:iran(?:ian)?|tehran|north\s+korea|dprk|pyongyang|syria(?:n)?|damascus|cuba(?:n)?|havana|crimea(?:n)?|sevastopol|donetsk|luhansk)\b/i
const refuses =
  /\b(?:reject(?:ed)?|decline[ds]?|block(?:ed)?|do\s+not\s+proceed|hold|held\s+(?:on|back|until|since|because|and)|escalat\w+|refus\w+|true\s+match|stop(?:ped)?|frozen|(?:is|was|were|being)\s+returned|not\s+(?:executed|released))\b/i

/** Several lists, and somebody who answers for it or more than the name looked at: enough where nothing was found. */
const isThorough = (text: string): boolean =>
  /\bno\s+(?:match(?:es)?|hits?|direct|exposure)\b/i.test(text) &&
  !/\b(?:possible|partial|potential|weak|true)\s+(?:match|hit)/i.test(text) &&
  new Set(
    text
      .match(/\b(?:OFAC|SDN|EU|UN|UK|OFSI|HMT|SECO|DFAT|chainalysis|elliptic|trm)\b/gi)
      ?.map(name => name.toLowerCase()),
  ).size >= 2 &&
  /\b(?:reviewer|analyst|officer|reviewed\s+by|documented\s+by|approved\s+by|compliance|owners?|variants?|native\s+script|threshold|ubo)\b/i.test(
    text,
  )

const listNames = /\b(?:OFAC|SDN|EU|UN|UK|OFSI|HMT|SECO|DFAT|BIS)\b/g

/** When the lists were looked at, where that is said without a day of the calendar. */
const isCurrent = (text: string): boolean =>
  /\b(?:today|this\s+morning|nightly|daily|continuous(?:ly)?|real[- ]?time|same\s+day|current\s+(?:lists?|files?|versions?)|latest\s+(?:lists?|files?|versions?)|(?:lists?|files?)\s+of\s+\d{1,2}\.?\s+[A-Z][a-z]{2,8}(?![a-z]|\s+20\d\d))/i.test(
    text,
  ) && !isStale(text)

const listYear =
  /\b(?:lists?|files?|versions?|SDN|consolidated)["':,\s(]{1,6}(?:(?:list|file|version|dated|of|from|as\s+of)["':,\s(]{1,4}){0,3}(?:\d{1,2}\s)?(?:[A-Z][a-z]{2,8}\s)?(?:\d{1,2},\s)?(20\d\d)\b/gi

/** Whether a list is of a year before the last one that the record names. */
const isYearsBehind = (whole: string): boolean => {
  const text = whole.slice(0, 6000)
  const years = [...text.matchAll(/(?<![\d/.-])20[0-4]\d(?!\d)/g)].map(([year]) => Number(year))
  return [...text.matchAll(listYear)].some(([, year]) => Number(year) < Math.max(...years))
}

/** Lists that are old, or of which nobody knows how old they are. */
const isStale = (text: string): boolean =>
  isYearsBehind(text) ||
  text
    .slice(0, 6000)
    .split(/[.;\n]/)
    .some(
      part =>
        /\b(?:lists?|files?|data(?:base)?|versions?|feeds?|updates?|refresh\w*|screening\s+tool)\b/i.test(
          part,
        ) &&
        /\b(?:months?|years?|weeks?|quarters?)\s+(?:old|ago)\b|\blast\s+(?:year|summer|winter|spring|autumn|quarter)\b|\b(?:out\s?dated|stale|expired|unknown\s+(?:date|version|age))\b|\b(?:date|version|age)\s+(?:is\s+|was\s+)?(?:unknown|not\s+known|unclear)\b|\b(?:not|never|hasn't|haven't)\s+(?:been\s+)?(?:updated|refreshed|loaded)\b|\b(?:failed|failing|stuck|frozen)\s+since\b|\bthe\s+one\s+we\s+have\b/i.test(
          part,
        ) &&
        !/\b(?:every|within|next|history|no|not\s+older|alert\w*)\b/i.test(part),
    )

const identifierWords =
  /\b(?:dob|birth|born|b\.|gender|sex|nationalit(?:y|ies)|passports?|citizens?(?:hip)?|given\s+names?|middle\s+names?|id\s+(?:cards?|numbers?)|address(?:es)?|country|imo|flags?|registration|tax|build\s+year|built|owners?|place\s+of\s+birth|lei)(?![a-z])/gi

const imoForm = /\bIMO\D{0,12}(\d{7})\b/gi

/** A number of a passport or the like that two records share. */
const isSharedNumber = (text: string): boolean => {
  const numbers =
    text.match(/\b(?:[A-Z]{1,3}\d{6,9}|IMO\D{0,12}\d{7})\b/g)?.map(one => one.replace(/\W/g, '')) ?? []
  return new Set(numbers).size < numbers.length
}

/** Whether a likeness is told apart by what the record shows: two kinds of identifiers that differ, or ships of other numbers. */
const isToldApart = (text: string): boolean =>
  new Set([...text.matchAll(imoForm)].map(([, number]) => number)).size >= 2 ||
  (/\b(?:differ\w*|different|mismatch\w*|do(?:es)?\s+not\s+match|not\s+the\s+same|other\s+than)\b/i.test(
    text,
  ) &&
    new Set(text.match(identifierWords)?.map(word => word.toLowerCase())).size >= 2 &&
    !isSharedNumber(text))

const anyPlace =
  'iran(?:ian)?|tehran|north\\s+korea|dprk|pyongyang|syria(?:n)?|damascus|cuba(?:n)?|havana|crimea(?:n)?|sevastopol|donetsk|luhansk'

/** The name of a place in that of a street, a shop or another town: "Havana Street", "Damascus, Maryland". */
const borrowedName = new RegExp(
  `\\b(?:${anyPlace})["'”]?\\s+(?:st(?:reet|\\.)?|road|rd|ave(?:nue)?|lane|square|drive|boulevard|court|place|caf[eé]|coffee|restaurant|bar|grill|club|sandwich\\w*|cigars?|rum|salsa|gate|steel)\\b|\\b(?:${anyPlace}),?\\s+(?:in\\s+)?(?:${'Alabama|Arkansas|Georgia|Illinois|Maryland|Missouri|New\\s+York|Ohio|Oregon|Pennsylvania|Texas|Virginia|Florida|Colorado|Wisconsin|Kansas|[A-Z]{2}\\s+\\d{5}'})\\b`,
  'gi',
)
const saysOtherPlace =
  /\b(?:name|word|keyword)\s+(?:only\s+)?refers\s+to\b|\b(?:street|road|avenue|town|village|city|suburb|place|shop|restaurant|caf[eé]|brand|product|recipe|surname|family\s+name|first\s+name)\b[^.\n]{0,40}\b(?:in|of|name|called)\b|\b(?:street|town|place|brand|product)\s+name\b|\bno\s+(?:\w+\s+){0,2}(?:nexus|connection|link|party|tie)\b/i

/** Whether the place under embargo is only a word, and the record shows what it means. */
const isOnlyAWord = (text: string): boolean =>
  saysOtherPlace.test(text) &&
  (text.search(borrowedName) >= 0 ||
    (/\b(?:keyword|word|text|pattern|brand|drink|dish|rug|carpet|antique|dance|song|film|book|recipe)s?\b/i.test(
      text,
    ) &&
      !goesThere.test(text)))

/** Who goes there: a party, a bank or goods in a place under embargo. */
const goesThere = new RegExp(
  `\\b(?:banks?|branch|destination|consignees?|ports?|deliver\\w*|ship\\w*|payees?|beneficiar\\w+|buyers?|end[- ]users?|resid\\w+|office|subsidiary|travel\\w*)\\b[^.;\\n]{0,40}\\b(?:${anyPlace})\\b|\\b(?:from|to|via|origin:?)\\s+(?:${anyPlace})\\b`,
  'i',
)

/** A report on the lists themselves, which clears nobody. */
const isListControl = (text: string): boolean =>
  /\b(?:lists?|screening)\s+(?:\w+\s+)?(?:refresh|update|load|control)\b/i.test(text) &&
  /\b(?:loaded|additions?|removals?|checksums?|re-?screen\w*)\b/i.test(text) &&
  !isStale(text)

/** Owners by their shares, of whom none is listed. */
const isOwnershipChecked = (text: string): boolean =>
  /\b(?:owner\w*|shareholder\w*|ubo)\b/i.test(text) &&
  /\d\s?%/.test(text) &&
  /\b(?:no\s+(?:hits?|match(?:es)?)|(?:neither|none|nobody)\b[^.\n]{0,40}\b(?:list\w*|appears?|sanctioned))\b/i.test(
    text,
  )

/** A match that was real, and was stopped and reported. */
const isBlockedAndReported = (text: string): boolean =>
  /\btrue\s+(?:match|hit)\b/i.test(text) &&
  /\b(?:blocked|frozen|froze)\b/i.test(text) &&
  /\b(?:report\w*|filed)\b/i.test(text) &&
  !/\b(?:not|no|never|without)\s+(?:\w+\s+){0,2}(?:report\w*|filed|blocked|frozen)\b/i.test(text)

/** Whether a clearance shows what it rests on: then no list need be named, nor a day. */
const isDocumented = (text: string): boolean => {
  if (isStale(text) || onlyName.test(text)) return false
  if (isListControl(text) || isBlockedAndReported(text) || isOnlyAWord(text) || isToldApart(text)) return true
  const names = new Set(text.match(listNames))
  if (isCurrent(text)) return names.size >= 2 || isOwnershipChecked(text)
  return date.test(text) && isThoroughly(text) && isOwnershipChecked(text)
}

/** Several parties looked at, not only the one that pays. */
const isThoroughly = (text: string): boolean =>
  new Set(
    text
      .match(
        /\b(?:directors?|shareholders?|owners?|signator(?:y|ies)|boards?|banks?|carriers?|vessels?|buyers?|goods|entities|parties)\b/gi,
      )
      ?.map(word => word.toLowerCase().slice(0, 5)),
  ).size >= 2

/** Only the name was compared. */
const onlyName =
  /\b(?:name[- ]only|only\s+(?:the\s+|by\s+)?(?:\w+\s+)?names?\b(?!\s+and)|by\s+name\s+(?:only|alone)|names?\s+alone|(?:birth|dob|passport|imo|identifiers?|owners?)\s+(?:\w+\s+){0,2}(?:(?:was|were|is|are)\s+)?(?:unknown|not\s+(?:known|checked|compared|available|collected|asked|needed|looked\s+at)))\b/i

/** What was done so that nothing is found. */
const evades =
  /\b(?:chang\w+|alter\w*|misspel\w+|shorten\w*|split\w*|remov\w+|re-?spel\w+|abbreviat\w+|stripp\w+)\s+(?:the\s+)?(?:\w+\s+){0,3}(?:spelling|name|payment|amount|reference|country|address|beneficiary|originator|vessel|imo)\b[^.!?\n]{0,160}\b(?:avoid|no\s+match|pass(?:es)?|alerts?|threshold|filter|under|below|clean)\b|\b(?:to|so\s+as\s+to|in\s+order\s+to)\s+(?:avoid|evade|bypass|circumvent|get\s+(?:around|past))\s+(?:the\s+|an?\s+)?(?:\w+\s+){0,2}(?:alerts?|screening|filters?|sanctions|hits?|flags?|match|checks?)\b|\b(?:screening|check|edd|due\s+diligence)\s+(?:was\s+|is\s+|were\s+)?(?:skipped|waived|bypassed|overridden|not\s+(?:needed|done|performed|necessary|required)|omitted)\b|\b(?:no|without)\s+(?:enhanced\s+)?(?:due\s+diligence|screening|edd)\s+(?:is\s+|was\s+)?(?:needed|required|necessary)|\bdo\s+not\s+(?:file|report|escalate|document|record|tell)\b|\b(?:skip|waive|bypass)(?:ped|d|ing)?\s+(?:the\s+)?(?:\w+\s+){0,2}(?:screening|check|edd|due\s+diligence|review)\b/i

/** A screening that stopped something, and a way that was found around it. */
const reroutes =
  /\b(?:re-?send|re-?submit|split(?:ting)?|break(?:ing)?\s+(?:it\s+)?(?:up|into)|re-?rout\w*|rout(?:e|ed|ing)|send|pay|invoice)\b[^!?\n]{0,120}\b(?:(?:below|under)\s+the\s+(?:\w+\s+)?(?:threshold|limit)|through\s+(?:our|an?|the)\s+(?:[\w-]+\s+){0,2}(?:affiliate|subsidiary|intermediary|trading\s+company|third\s+(?:party|country)|shell|front|branch)|via\s+(?:our|an?|the)\s+(?:[\w-]+\s+){0,2}(?:affiliate|subsidiary|intermediary|shell|front))|\b(?:leav(?:e|ing)|omit\w*|strip\w*|drop\w*)\s+(?:out\s+)?(?:the\s+)?(?:[\w']{1,20}\s+){0,4}(?:name|reference|country|address|vessel|imo|beneficiary|originator)\b[^.!?\n]{0,30}(?:\bout\b|\boff\b|\bfrom\b)/i
/** A message that is changed so that the filter lets it through. */
const passes =
  /\bso\s+(?:that\s+)?(?:it|they|(?:the|our|this)\s+\w+)\s+(?:then\s+)?(?:pass(?:es)?|gets?\s+through|goes\s+through|lets?\s+it|clears?|(?:does\s+not|doesn't|won't|will\s+not|cannot|can't|is\s+not|isn't|are\s+not)\s+(?:be\s+)?(?:stop\w*|trigger\w*|alert\w*|hit|flag\w*|block\w*|caught|match\w*))\b|\bwithout\s+the\s+(?:words?|names?|reference|mention|country)\b/i
const reports =
  /\b(?:reported|declined|refused|rejected|did\s+not|escalated|blocked\s+and|asked\s+(?:us\s+)?to|attempt(?:ed)?)\b/i
const goesOn =
  /\b(?:clear(?:ed)?|proceed|approve[ds]?|released?|no\s+restriction|can\s+(?:go\s+out|be\s+(?:paid|released|processed))|may\s+(?:be\s+paid|go\s+out|proceed)|go(?:es)?\s+ahead|onboard(?:ed)?|false\s+positive|stays?\s+open|not\s+(?:restricted|blocked)|fine\s+to|payment\s+(?:was\s+)?(?:sent|made|executed)|no\s+report)\b/i
const stopsThere =
  /\b(?:(?:is|are|was|were|been|stays?|remains?|payment|account|transfer|funds)\s+(?:\w+\s+)?(?:blocked|frozen|rejected|declined|held\s+back|on\s+hold|refused|returned)|do\s+not\s+proceed|escalat\w+|(?<!\bno\s)report\s+(?:is\s+|was\s+)?(?:filed|sent|made|went)|filed\s+(?:a|the)\s+report|treat(?:ed)?\s+as\s+(?:blocked|sanctioned|listed))\b/i

/** How much of a company those on a list hold, added up: in words of one sentence. */
const listedShare = (text: string): number => {
  let highest = 0
  for (const sentence of text.slice(0, 6000).split(/\n|(?<=[!?;]|[^A-Z]\.)\s/)) {
    if (
      !/\b(?:own(?:s|ed)?|hold(?:s|ing)?|held|shareholders?|stakes?|control(?:s|led)?|percent|shares?)\b/i.test(
        sentence,
      )
    )
      continue
    if (
      !/\b(?:on\s+the\s+(?:\w+\s+){0,3}list|listed|sanctioned|SDNs?|designated|blocked\s+persons?)\b/i.test(
        sentence,
      ) ||
      /\b(?:not|none|neither|no|un)\s?(?:of\s+\w+\s+)?(?:is\s+|are\s+)?(?:on\s+(?:the|any)|listed|sanctioned|designated)/i.test(
        sentence,
      )
    )
      continue
    const listed = sentence.split(/\b(?:the\s+rest|the\s+remaining|the\s+other)\b/i)[0] ?? ''
    const parts = listed.split(/[,;]|\band\b/)
    const own = parts.filter(
      part => /\d\s?%/.test(part) && /\b(?:listed|sanctioned|SDNs?|designated)\b/i.test(part),
    )
    const told = own.length >= 2 ? own.join(',') : listed
    const sum = [...told.matchAll(/(?<![\d.])(\d{1,3}(?:\.\d{1,3})?)\s?(?:%|per\s?cent)/g)].reduce(
      (all, [, share]) => all + Number(share),
      0,
    )
    highest = Math.max(highest, sum > 100 ? 0 : sum)
  }
  return highest
}

/** The same of the owners that a record lists. */
const listedOwners = (record: Readonly<Record<string, unknown>>): number => {
  const owners = Object.entries(record)
    .filter(([key]) => /owner|shareholder|ubo|holder/i.test(key))
    .flatMap(([, value]) => asList(value))
  return owners.filter(isRecord).reduce((all, owner) => {
    const isListed = Object.entries(owner).some(
      ([key, value]) =>
        /listed|sanction|sdn|hit|match|status|list/i.test(key) &&
        (value === true ||
          (typeof value === 'string' &&
            /^(?!.*\b(?:no|not|none|clear|false)\b).*(?:sdn|listed|sanction|ofac|eu|un|true|yes|designated)/i.test(
              value,
            ))),
    )
    const share = Object.entries(owner).find(([key]) =>
      /share|pct|percent|stake|owns|interest/i.test(key),
    )?.[1]
    return all + (isListed ? Number.parseFloat(String(share)) || 0 : 0)
  }, 0)
}

/** Whether a likeness of names is told apart by more than the name, and by somebody who answers for it. */
const isDiscounted = (text: string): boolean =>
  /\b(?:differ\w*|different|mismatch\w*|does\s+not\s+match|do\s+not\s+match|not\s+the\s+same|unlike|discount\w*|ruled\s+out)\b/i.test(
    text,
  ) &&
  new Set(
    text
      .match(
        /\b(?:dob|birth|born|gender|sex|nationality|passport|citizen\w*|given\s+name|middle\s+name|id\s+(?:card|number)|address|country|imo|registration|tax)\b/gi,
      )
      ?.map(word => word.toLowerCase()),
  ).size >= 2 &&
  /\b(?:reviewers?|reviewed|second|two\s+(?:people|analysts|reviewers)|four[- ]eyes|approved\s+by|analyst|compliance|officer|checked\s+by|checked\s+against)\b/i.test(
    text.replaceAll('_', ' '),
  )

/** Somebody of the business who overrules those who watch. */
const overruled =
  /\b(?:sales|business|account\s+manager|relationship\s+manager|front\s+office|director|head\s+of\s+sales|trader|ceo|branch\s+manager|commercial)\b[^!?]{0,200}\b(?:overrid\w*|overrul\w*|clos(?:e|ed)\s+(?:\w+\s+){0,3}(?:as\s+)?["']?(?:no\s+match|false\s+positive|cleared)|released?\s+(?:it|the)|cleared\s+(?:it|the))\b|\b(?:overrid\w*|overrul\w*|closed|released|cleared)\b[^.!?\n]{0,80}\bby\s+(?:the\s+)?(?:sales|business|account\s+manager|relationship\s+manager|commercial|branch|trader)\b/i
const unconsulted =
  /\b(?:compliance|mlro|legal|sanctions\s+(?:team|officer)|second\s+line)\s+(?:\w+\s+)?(?:was|were|is|has|had)?\s?(?:not|never)\s+(?:been\s+)?(?:consulted|asked|informed|involved|told|called)\b|\bwithout\s+(?:asking\s+|consulting\s+|informing\s+)?(?:compliance|the\s+mlro|the\s+second\s+line)\b/i
const likely =
  /\b(?:potential|possible|likely|probable|strong|true|confirmed)\s+(?:match|hit)|\b(?:escalat\w+|alert|birth\s+agree)/i

/** A person in office, looked at as such, or a batch that waited until it was screened. */
const isWellHandled = (text: string): boolean =>
  (/\bno\s+(?:match(?:es)?|hits?)\b|\bwithout\s+(?:hits?|matches)\b/i.test(text) &&
    /\bPEP\b|politically\s+exposed/i.test(text) &&
    /\b(?:enhanced\s+due\s+diligence|EDD|source\s+of\s+(?:wealth|funds))\b/i.test(text) &&
    /\bapprov(?:al|ed)\b/i.test(text)) ||
  (/\b(?:batch|payments|transfers|queue)\b/i.test(text) &&
    /\b(?:were|was|all|stayed|remained)\s+(?:\w+\s+)?held\b|\bheld\s+until\b/i.test(text) &&
    /\bre-?(?:run|ran|screen\w*|check\w*)\b|\bscreened\s+again\b/i.test(text) &&
    !/(?<!\b(?:without|no)\s)\bhits?\s+(?:\w+\s+)?released\b/i.test(text))

const isScreening = ({ type }: Artifact): boolean => type === 'sanctions_screening'

export const sanctionsRules: readonly Rule[] = [
  wholeRule({
    id: 'sanctions-basis',
    category: 'sanctions',
    type: 'sanctions_screening',
    severity: 'high',
    fix: 'Name each list, its date, and by what the person or company was told apart.',
    hits: [
      'Acme Ltd is clear, proceed.',
      'Screened John Smith against OFAC SDN: no match.',
      'Acme Ltd: no hits on 2026-11-20.',
    ],
    misses: [
      'Screened Acme Ltd (reg. no. 123456) against OFAC SDN and the EU consolidated list of 2026-11-20: no match.',
      'Ana Silva, minister: PEP (list of 3 June 2024). OFAC, EU lists of 3 June 2024: no hits. EDD done, source of wealth documented, approved by the board.',
      'The screening API failed; all 300 payments were held and screened again against OFAC and EU lists of 2026-11-20: 299 without hits.',
      'Possible hit on the UN list; payment on hold. Sales asked for release and was refused.',
      'Possible match for Al Noor on the EU list. Hold the payment until compliance has looked at it.',
      '{"name":"A","registration_number":"1","list":"OFAC SDN","list_date":"2026-11-20","decision":"clear"}',
      'Screened John Smith, DOB 1980-02-03, passport X1, against OFAC SDN (2026-11-20): no match.',
    ],
    see(artifact) {
      if (!isScreening(artifact)) return []
      const text = artifact.text.replaceAll('_', ' ')
      // Who holds back and asks needs no more than the suspicion.
      if (
        refuses.test(text.replace(/false\s+positive/gi, '')) &&
        !/\b(?:clear(?:ed)?|proceed|approved?|release[ds]?|passed)\b/i.test(
          text.replace(
            /\b(?:asked|requested|wanted|pressed)\s+(?:\w+\s+){0,3}(?:release|proceed|clear)\b|\brelease[^.;\n]{0,20}\b(?:refused|denied|declined)\b/gi,
            '',
          ),
        )
      )
        return []
      const hits: Hit[] = []
      if (isStale(text) && clears.test(text))
        hits.push({ detail: 'The lists are old, or nobody knows how old.', place: { path: 'date' } })
      if (isDocumented(text)) return hits
      if (!lists.test(text) && !/\blist\s+entry\b[^\n]{0,400}\breviewers?\b/i.test(text))
        hits.push({ detail: 'It names no sanctions list.', place: { path: 'lists' } })
      if (!date.test(text))
        hits.push({ detail: 'It does not say of what date the lists are.', place: { path: 'date' } })
      if (
        hits.length === 0 &&
        !isThorough(text) &&
        !isWellHandled(text) &&
        !/\b(?:dob|date\s+of\s+birth|born|passport|reg(?:istration)?\.?\s*(?:no|number)|lei|company\s+number|national(?:ity)?\s*id|id\s+number|imo|tax\s+id|ein|vat|hr[ab]\s?\d+|uid|kvk|sire[nt]|crn|companies\s+house|fn\s?\d{4,}\w?|che-\d+|krs|0x[0-9a-f]{40}|registration)\b/i.test(
          text,
        )
      )
        hits.push({
          detail: 'A name alone tells nobody apart.',
          place: { path: 'identifiers' },
          severity: 'medium',
        })
      return hits
    },
  }),
  wholeRule({
    id: 'sanctions-match',
    category: 'sanctions',
    type: 'sanctions_screening',
    severity: 'blocker',
    fix: 'Stop, and let somebody who may decide it look at the match.',
    hits: [
      'Cigars from Havana: keyword hit, word refers to a brand, false positive, released.',
      'OFAC SDN 2026-11-20: match score 0.97, cleared as false positive, DOB 1980-01-01.',
      'Beneficiary bank in Tehran, Iran. OFAC list of 2026-11-20: no match, proceed.',
      '{"name":"X","match_score":92,"decision":"clear","list":"OFAC SDN","date":"2026-11-20","dob":"1980-01-01"}',
      'Hit on EU consolidated list 2026-11-20 for reg. no. 5; proceed with payment anyway.',
      'The wallet received funds from Tornado Cash. OFAC 2026-11-20. Proceed.',
      'I changed the spelling of the name to avoid the alert. OFAC 2026-11-20: no match.',
      'Screening skipped for lack of time (OFAC list of 2026-11-20, IMO 9123456); payment released.',
      'Listed persons hold 30% and 21% of it; no restriction, proceed. OFAC 2026-11-20, reg. no. 3.',
      '{"name":"A Ltd","owners":[{"name":"X","share_pct":40,"listed":true},{"name":"Y","share_pct":15,"listed":true}],"decision":"clear"}',
      'Possible match, birth date agrees, escalate. The relationship manager cleared the alert; the MLRO was not informed.',
      'Likely hit on the UN list. Closed by the branch as no match without asking compliance.',
      'Confirmed match on the EU list; the alert is closed as the client is important, the account stays open.',
      'The filter stopped it. Route the payment through our Dubai affiliate and mark it resolved.',
      '60 % owned by a person on the OFAC SDN list (2026-11-20); the company is not listed (reg. no. 2). Approved.',
    ],
    misses: [
      'Keyword "Cuba" in the company name; the name refers to the drink, owners and invoices are Italian. False positive.',
      'OFAC SDN 2026-11-20: match score 0.12 on name, DOB differs; clear.',
      'Match score 0.97 on OFAC SDN 2026-11-20, passport equal: payment blocked and escalated.',
      'Bank in Tehran: declined. OFAC, 2026-11-20, reg. no. 1',
      'Two persons on the SDN list hold 10% and 12% of it; the payment may go out. OFAC 2026-11-20, reg. no. 4.',
      'True match on the UN list: the account is frozen and the report was filed.',
      'OFAC SDN 2026-11-20: score 0.88, false positive: birth year and nationality differ, checked by two reviewers.',
    ],
    see(artifact) {
      if (!isScreening(artifact)) return []
      const { text, record } = artifact
      const hits: Hit[] = []
      const passed = passes.exec(text)
      if (
        passed &&
        /\b(?:re-?sen[dt]|re-?submit\w*|repair|release\w*|pay(?:ment)?s?|message)\b/i.test(text) &&
        !reports.test(
          text.slice(Math.max(0, passed.index - 120), passed.index).replace(/\bblocked\s+and\b/gi, ''),
        )
      )
        hits.push({ detail: `It gets around the screening: ${passed[0].slice(0, 80)}` })
      if (overruled.test(text) && unconsulted.test(text) && likely.test(text))
        hits.push({ detail: 'The business overrules a match, and compliance was not asked.' })
      if (!stopsThere.test(text)) {
        const share = Math.max(listedShare(text), listedOwners(record))
        if (share >= 50 && goesOn.test(text))
          hits.push({ detail: `Those on a list hold ${share} %, and it is cleared.` })
        if (
          /\b(?:true|positive|confirmed)\s+(?:match|hit)\b(?!\s+(?:was\s+|is\s+)?(?:excluded|ruled\s+out))/i.test(
            text,
          ) &&
          !/\b(?:no|not\s+a|never\s+a)\s+(?:true|positive|confirmed)\s+(?:match|hit)/i.test(text) &&
          /\b(?:closed\s+as|close\s+(?:it|the\s+alert)|stays?\s+open|overrid\w+|white-?list\w*|suppress\w*|no\s+report|not\s+(?:be\s+)?(?:reported|filed)|released?|proceed|approved?|continue[sd]?)\b/i.test(
            text,
          )
        )
          hits.push({ detail: 'A match is confirmed, and it goes on.' })
        const around = reroutes.exec(text)
        if (around && !reports.test(text.slice(0, around.index).slice(-120)))
          hits.push({ detail: `It gets around the screening: ${around[0].slice(0, 80)}` })
      }
      if (hits.length > 0 || refuses.test(text.replace(/false\s+positive/gi, ''))) return hits
      if (evades.test(text))
        hits.push({ detail: `It gets around the screening: ${evades.exec(text)?.[0].slice(0, 80)}` })
      const score =
        /(?:score|similarity|match|confidence)["']?\s*(?:of|:|=|is)?\s*["']?(\d{1,3}(?:\.\d+)?)\s?(%)?/i.exec(
          text,
        )
      const reversed = /(\d{1,3}(?:\.\d{1,4})?)\s?%\s+(?:name\s+)?(?:match|similar)/i.exec(text)
      const value = reversed
        ? Number(reversed[1])
        : score
          ? Number(score[1]) * (score[2] || Number(score[1]) > 1 ? 1 : 100)
          : 0
      if (value >= 85 && clears.test(text) && !isDiscounted(text))
        hits.push({ detail: `A match of ${value} % is cleared.` })
      if (
        embargoed.test(text) &&
        !(isDocumented(text) && (isOnlyAWord(text) || isToldApart(text)) && !goesThere.test(text)) &&
        !/\b(?:no|without|not\s+in)\s+(?:\w+\s+){0,5}(?:iran|cuba|syria|north\s+korea|crimea)/i.test(text)
      )
        hits.push({ detail: `It goes to a place under embargo: ${embargoed.exec(text)?.[0]}.` })
      if (
        /\b(?:true\s+match|positive\s+match|confirmed\s+(?:match|hit)|hit\s+on|is\s+(?:listed|sanctioned|on\s+the))\b/i.test(
          text,
        ) &&
        /\b(?:proceed|approve|clear|anyway|release)\b/i.test(text) &&
        !/\bnot\s+(?:listed|sanctioned|on)\b/i.test(text)
      )
        hits.push({ detail: 'It goes on in spite of a match.' })
      const holding =
        /(?:(\d{1,3})(?:\.\d+)?\s?%\s+)?(?<!\b(?:not|nor|no)\s)\b(?:owned|controlled|held)\b[^.;\n]{0,60}(?<!\b(?:not|un)\s?)\b(?:on\s+the\s+(?:\w+\s+){0,3}list|listed|sanctioned|SDN|designated|blocked\s+person)\b/i.exec(
          text,
        )
      if (holding && Number(holding[1] ?? 50) >= 50 && clears.test(text))
        hits.push({ detail: 'Whoever owns it is on a list, and it is cleared.' })
      if (
        /\b(?:tornado\s+cash|blender\.io|sinbad|garantex|lazarus|hydra\s+market)\b/i.test(text) &&
        !/\bno\s+(?:\w+\s+){0,4}(?:tornado|garantex|lazarus)/i.test(text)
      )
        hits.push({ detail: 'It names a party that is on a list.' })
      return hits
    },
  }),
]
