import type { Artifact } from '../artifact.ts'
import { readSentences } from '../read/prose.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isAdvice = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'plan' || type === 'general' || type === 'agent_output' || type === 'analysis')

/** A danger: of what the text is, what it does, and what would make it harmless or a warning. */
type Danger = readonly [about: RegExp, does: RegExp, detail: string, unless?: RegExp]

/** Words of one who warns; in the same sentence they take its edge off. */
const warns =
  /\b(?:never|not|don't|doesn't|must\s+not|avoid\w*|danger\w*|risk\w*|warn\w*|unsafe|forbidden|discard\w*|throw\s+(?:it\s+)?away|thrown\s+away|instead\s+of|rather\s+than|replaced\s+by|wrong)\b/i

const dangers: readonly Danger[] = [
  [
    /\b(?:expired|out[- ]of[- ]date|recalled|contaminated|spoiled|mouldy|moldy)\b/i,
    /\b(?:vaccinat\w*|use|using|sell\w*|serv\w+|giv(?:e|ing)|re-?label\w*|inject\w*|deliver\w*|feed|mix\w*|process\w*|hand\s+out)\b[^.\n]{0,40}\b(?:expired|out[- ]of[- ]date|recalled|contaminated|spoiled|mouldy|moldy)\s+(?:\w+\s+)?(?:batch\w*|vaccines?|medicines?|drugs?|food|meat|milk|fish|stock|products?|goods|doses?|flour|feed|blood)\b/i,
    'What is no longer good is used',
  ],
  [
    /\b(?:jars?|canning|preserv\w+|pantry|bottled?)\b/i,
    /\b(?:beans|corn|peas|asparagus|mushrooms?|meat|fish|carrots?|garlic|soup|broth|potatoes|pumpkin|beets?|peppers)\b/i,
    'Low-acid food in jars needs pressure: it may poison',
    /\b(?:pressure\s+(?:cann\w*|cook\w*)|autoclav\w*|fridge|refrigerat\w*|freez\w+|frozen|vinegar\s+(?:brine|pickl\w*)|pickl\w+|ferment\w*|\d\s?%\s+(?:vinegar|salt|brine)|240\s?°?F|116\s?°?C|121\s?°?C)\b/i,
  ],
  [
    /\b(?:turkeys?|chicken|poultry|meat|rice|fish|seafood|minced?|pork|beef|eggs?|buffet|leftovers?|mayonnaise|salad)\b/i,
    /\b(?:(?:on|leave\s+\w+\s+on)\s+the\s+counter\s+(?:overnight|all\s+(?:day|night)|for\s+(?:[3-9]|1\d)\s+hours)|counter\s+overnight|room\s+temperature\s+(?:overnight|all\s+(?:day|night)|from\s+\d|for\s+(?:[3-9]|\d\d|three|four|five|six|several)\s+hours|until\s+\w+\s+(?:evening|morning))|no\s+thermometer|serv\w+\s+(?:\w+\s+)?(?:pink|raw)\b[^.\n]{0,20}chicken|re-?freez\w+)\b/i,
    'Food stands in the warmth: it may poison',
  ],
  [
    /\b(?:bab(?:y|ies)|infants?|newborns?|toddlers?|child(?:ren)?|kids|months?\s+old|\d\s+months|nursery|cot|crib)\b/i,
    /\bhoney\b(?=[^.\n]{0,20}\b(?:bottle|dummy|milk|spoon))|\bspoon\s+of\s+honey\b|\b(?:shake|shaking)\s+(?:him|her|it|them|the\s+baby)\b|\b(?:sleep|put|lay|lie)\w*\b[^.\n]{0,30}\b(?:tummy|stomach|face\s+down|front)\b|\b(?:pillow|duvet|heavy\s+blanket)\b|\bbath\b[^.\n]{0,30}\b(?:alone|on\s+(?:his|her|its|their)\s+own)\b|\balone\s+in\s+the\s+(?:bath|car|tub)\b|\b(?:aspirin|brandy|whisky|rum|no\s+fluids)\b/i,
    'It endangers a small child',
  ],
  [
    /\b(?:fuses?|breakers?|circuit|wir(?:e|es|ing)|socket|rcd|gfci|residual[- ]current|earth(?:ing)?|ground(?:ing)?)\b/i,
    /\b(?:replac\w+|swap\w*|us(?:e|ing)|put|fit)\b[^.\n]{0,30}\b(?:bigger|larger|stronger|higher|3[2-9]\s?A|[4-9]\d\s?A|\d{3}\s?A)\b|\bfoil\b|\b(?:bridg|bypass|jump(?:er)?|short|disconnect|cut|remov)\w*\s+(?:out\s+)?(?:the\s+)?(?:\w+[- ]){0,3}(?:fuse|breaker|rcd|gfci|earth|ground|protective)\b|\bnail\s+(?:in|instead)/i,
    'It puts the protection of a circuit out of work',
    /\belectrician\s+(?:will|does|replaces|fits|has)\b|\bthicker\s+(?:cable|wire)\b/i,
  ],
  [
    /\b(?:gas|boiler|stove|heater|carbon\s+monoxide|co\s+(?:alarm|detector)|smoke\s+(?:alarm|detector)|flue|vent)\b/i,
    /\b(?:cover|block|seal|tape|stuff|close|plug)\w*\s+(?:off\s+|up\s+)?(?:the\s+)?(?:\w+\s+){0,2}(?:flue|vents?|air\s+(?:inlet|grille|brick)s?|chimney)\b|\b(?:take|remove|pull|unplug)\w*\s+(?:out\s+)?(?:the\s+)?batter(?:y|ies)\b[^.\n]{0,40}\b(?:alarm|detector)|\b(?:alarm|detector)\b[^.\n]{0,60}\b(?:battery\s+out|unplug\w*|taped?\s+over)|\b(?:check|look|search|find)\w*\b[^.\n]{0,30}\bleak\w*\b[^.\n]{0,30}\b(?:lighter|match(?:es)?|flame|candle)\b/i,
    'It may poison or burn those who live there',
  ],
  [
    /\b(?:mushrooms?|berries|plants?|foraged?|herbs?|leaves)\b/i,
    /\b(?:photo|picture|app)\b[^.\n]{0,60}\b(?:enough|safe\s+to\s+eat|edible|sure)\b|\bif\s+(?:animals?|birds?|snails?|deer)\s+eat\b[^.\n]{0,40}\b(?:safe|edible|can)\b|\b(?:silver\s+spoon|boil\w*)\b[^.\n]{0,40}\b(?:removes?|shows?)\b[^.\n]{0,20}\b(?:poison|toxins?)\b/i,
    'It may poison',
  ],
  [
    /\b(?:ladder|roof|scaffold\w*|harness|height|trench|excavat\w+|crane|forklift|chain\s?saw|saw|felling|trees?|press|machine|conveyor)\b/i,
    /\b(?:without|no|skip(?:ping)?|leave\s+off|take\s+off|remov\w+)\s+(?:the\s+|an?\s+|any\s+)?(?:\w+\s+)?(?:harness(?:es)?|helmets?|guards?|shoring|fenc(?:e|es|ing)|barriers?|guard\s?rails?|lock-?out|seat\s?belts?|edge\s+protection|spotter)\b|\b(?:hold|reach|clear|clean)\w*\b[^.\n]{0,40}\bwhile\s+(?:it|the\s+\w+)\s+(?:is\s+)?(?:runs?|running|turning|moving)\b/i,
    'It endangers those who work there',
  ],
  [
    /\b(?:bleach|ammonia|acid|chlorine|peroxide|drain\s+cleaner|lye|solvent|petrol|gasoline|acetone|pool\s+chemicals?)\b/i,
    /\bmix\w*\b[^.\n]{0,60}\b(?:bleach|ammonia|acid|chlorine|peroxide|drain\s+cleaner|vinegar)\b[^.\n]{0,60}\b(?:bleach|ammonia|acid|chlorine|peroxide|drain\s+cleaner|vinegar)\b|\b(?:keep|close|shut)\w*\s+(?:the\s+)?windows?\b|\badd\s+(?:the\s+)?water\s+to\s+(?:the\s+)?(?:\w+\s+)?acid\b|\b(?:drink|lemonade|water|soda)\s+bottles?\b/i,
    'It is dangerous',
    /\b(?:ventilat\w+|open\s+(?:the\s+)?windows?|gloves\s+and)\b/i,
  ],
]

/** A danger for body or life that a text advises, by what it is about and what it does in one sentence or line. */
const findDanger = (artifact: Artifact): Hit[] => {
  const text = artifact.prose.slice(0, 6000)
  for (const [about, does, detail, unless] of dangers) {
    if (!about.test(text) || unless?.test(text)) continue
    for (const { text: sentence, place } of readSentences(text)) {
      const match = does.exec(sentence)
      if (
        !match ||
        /\b(?:no|without|neither|nor)\s+(?:\w+,?\s+){0,2}(?:or\s+)?$/i.test(sentence.slice(0, match.index)) ||
        warns.test(
          sentence.replace(
            /\b(?:do\s+not|don't|not|never)\s+(?:need|mind|bother|worry)\b|\bno\s+\w+\s+(?:or\s+\w+\s+)?needed\b/gi,
            '',
          ),
        )
      )
        continue
      return [{ detail: `${detail}: ${match[0].slice(0, 80)}`, place }]
    }
  }
  return []
}

const jobWords =
  /\b(?:job|vacanc\w+|hiring|position|advert\w*|we\s+(?:are\s+)?(?:look|search)\w*\s+for|wanted|applicants?|candidates?|apply|tenants?|to\s+let|flatmate|recruit\w*)\b/i
const wants: readonly RegExp[] = [
  /\b(?:look\w*\s+for|seek\w*|want(?:ed|s)?|only|need\w*|prefer\w*|must\s+be|hir\w+)\b[^.!?\n]{0,40}\b(?:young\s+(?:man|men|woman|women|lad|lady|girl|people)|(?:male|female|white|christian|muslim|german|native[- ]born|unmarried|childless|single)\s+(?:\w+\s+)?(?:only|applicants?|candidates?|person|employee|tenants?|preferred)|a\s+(?:man|woman|girl|boy)|men|women|girls)\b/i,
  /\b(?:at\s+most|under|below|not\s+older\s+than|no\s+older\s+than|younger\s+than|max(?:imum)?\.?(?:\s+age)?|aged?)\s+(?:of\s+)?(?:[2-5]\d)\b(?!\s?(?:%|kg|hours|km|eur|usd|years?\s+of|employees|people|minutes|m2|sqm))/i,
  /\bno\s+(?:children|kids|pregnan\w+|disabilit\w+|foreigners?|muslims?|jews?|immigrants?|older|mothers|headscarf|women|men|accents?)\b|\bwithout\s+(?:children|disabilit\w+|(?:an?\s+)?accent)\b|\bborn\s+(?:here|in\s+this\s+country)\b|\byour\s+(?:religion|faith|marital\s+status|family\s+plans|sexual\s+orientation|skin|ethnic\w*)\b/i,
]
const fairly =
  /\b(?:never|not\s+(?:ask|required|relevant|allowed)|do\s+not|don't|regardless|irrespective|illegal|discriminat\w+|strike|struck|removed?|must\s+go|equal\s+opportunit\w+|welcome)\b/i

const personalData =
  /\b(?:personal|customer|client|user|patient|health|medical|location|contact|biometric|tenant|employee|children'?s?|your|their)\s+(?:\w+\s+)?(?:data|information|details|records|photos?|contacts|messages|recordings)\b/i
const givesAway =
  /\b(?:sell\w*|sold|publish\w*|rent\s+out|trade|pass(?:es|ed)?\s+on|share\w*|disclos\w+|transfer\w*)\b/i
const atWill =
  /\b(?:(?:for\s+)?any\s+(?:purpose|reason|partner|third\s+part\w+|one)|without\s+(?:\w+\s+)?(?:notice|consent|telling|asking)|for\s+ever|forever|perpetual\w*|in\s+perpetuity|unlimited|cannot\s+withdraw|can't\s+withdraw|may\s+not\s+withdraw|no\s+right|not\s+required\s+to\s+(?:report|notify|delete|inform)|to\s+(?:advertisers|data\s+brokers|the\s+highest\s+bidder))\b/i
const refusesIt =
  /\b(?:never|not\s+(?:sell|publish|share|use|disclose)|do(?:es)?\s+not|don't|shall\s+not|must\s+not|may\s+not\s+(?:sell|use|publish|share)|will\s+not|no\s+(?:sale|sharing)|forbidden|prohibited|unless)\b/i

const oneSided =
  /\b(?:liab\w+|indemnif\w+|responsib\w+)\b[^.\n]{0,60}\b(?:without\s+(?:any\s+)?limit\w*|unlimited(?:ly)?|for\s+(?:any\s+and\s+)?all|regardless\s+of\s+fault|whatever\s+the\s+cause|even\s+(?:if|where)\b)/i
const otherFree =
  /\b(?:shall|is|are|will)\s+(?:not|never)\s+(?:be\s+)?(?:liable|responsible)\b[^.\n]{0,60}\b(?:anything|whatsoever|any\s+(?:loss|damage|reason)|under\s+any|even\s+(?:if|where)|gross\s+negligence|intent)|\b(?:no|without)\s+(?:any\s+)?liability\s+(?:whatsoever|of\s+any\s+kind|at\s+all)|\bindemnif\w+\b[^.\n]{0,60}\bwithout\s+limit\w*/i
const exempts = /\b(?:neither|both|each)\s+part(?:y|ies)\b|\bmutual\w*\b|\bsave\s+for\b|\bexcept\s+for\b/i

/** Dangers for body and life, and terms that a law forbids, by their content. */
export const hazardRules: readonly Rule[] = [
  wholeRule({
    id: 'people-danger',
    category: 'people',
    type: 'general',
    severity: 'high',
    fix: 'Take the advice out, and ask somebody of the trade.',
    hits: [
      'Pack raw beans in jars, cover with water, boil for 15 minutes and keep them in the pantry for a year.',
      'Take the turkeys out and leave them on the counter overnight to thaw.',
      'The baby sleeps best on his tummy with the big pillow.',
      'The fuse blows often, so replace it with a 63 A fuse.',
      'The gas heater smells, so tape up the vent to keep the warmth in.',
      'Clean the saw while it is running.',
      'Vaccinate the herd with the expired batch.',
    ],
    misses: [
      'Green beans in jars: use a pressure canner at 116 °C for 25 minutes.',
      'Thaw the turkey in the fridge, never on the counter overnight.',
      'Do not serve expired food; destroy the recalled batch.',
      'A baby sleeps on the back, without pillow or duvet.',
      'The fuse blows often; do not replace it with a bigger one.',
      'Strawberry jam: boil for 4 minutes, fill into hot jars.',
    ],
    see: artifact => (isAdvice(artifact) ? findDanger(artifact) : []),
  }),
  wholeRule({
    id: 'people-advert',
    category: 'people',
    type: 'general',
    severity: 'high',
    fix: 'Ask for what the work needs, not for what people are.',
    hits: [
      'Job advert: we are looking for a young man, at most 28, without disabilities.',
      'Flat to let. No foreigners, no children.',
    ],
    misses: [
      'Job advert: pastry cook (m/f/d), full time. Apply by e-mail.',
      'We never ask applicants for religion or age: no children question in interviews.',
      'Hiring: you have at most 10 hours a week of travel.',
    ],
    see(artifact) {
      if (!isAdvice(artifact) || !jobWords.test(artifact.prose.slice(0, 4000))) return []
      return readSentences(artifact.prose.slice(0, 4000)).flatMap(({ text, place }): Hit[] => {
        if (fairly.test(text)) return []
        const match = wants.map(pattern => pattern.exec(text)).find(found => found !== null)
        return match
          ? [{ detail: `It chooses people by what they are: ${match[0].slice(0, 60)}`, place }]
          : []
      })
    },
  }),
  wholeRule({
    id: 'people-data-sold',
    category: 'people',
    type: 'general',
    severity: 'high',
    fix: 'Name the purpose, ask for consent, and let people take it back.',
    hits: [
      'Vendor may use, sell and publish Customer Personal Data for any purpose without notice.',
      'We may sell your health data to any partner, and you cannot withdraw.',
    ],
    misses: [
      'We never sell your data to any third party.',
      'Vendor shall not sell or publish Customer Personal Data for any purpose.',
      'We share your contact details with the carrier to deliver the parcel.',
    ],
    see(artifact) {
      if (!isAdvice(artifact)) return []
      return readSentences(artifact.prose.slice(0, 6000)).flatMap(({ text, place }): Hit[] =>
        personalData.test(text) && givesAway.test(text) && atWill.test(text) && !refusesIt.test(text)
          ? [{ detail: `Data of people are given away: ${text.slice(0, 80)}`, place }]
          : [],
      )
    },
  }),
  wholeRule({
    id: 'people-one-sided',
    category: 'people',
    type: 'general',
    severity: 'high',
    fix: 'Bound the liability of both sides, or let a lawyer say that it holds.',
    hits: [
      'The Contractor is liable without limit for all losses; the Client shall not be liable for anything whatsoever.',
      'Customer indemnifies Vendor without limit for all claims.',
    ],
    misses: [
      "The Supplier's liability is limited to the fees paid, save for fraud.",
      'Neither party is liable for indirect loss.',
      'Each party is liable without limit for wilful misconduct.',
    ],
    see(artifact) {
      if (!isAdvice(artifact)) return
      const text = artifact.prose.slice(0, 6000)
      return (
        (oneSided.test(text) || /\bindemnif/i.test(text)) &&
        otherFree.test(text) &&
        !exempts.test(text) &&
        'One side bears everything, the other nothing.'
      )
    },
  }),
]
