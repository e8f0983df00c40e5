import type { Artifact } from '../artifact.ts'
import { readSentences } from '../read/prose.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isReport = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'analysis' || type === 'agent_output' || type === 'general')

/** Who says so is aware that it shows little. */
const hedged =
  /\b(?:small\s+sample|too\s+(?:few|small|early)|not\s+(?:enough|significant|representative|conclusive|proof|causal|causation|evidence|generali[sz]\w+)|inconclusive|insufficient|anecdot\w+|preliminary|exploratory|pilot|unproven|no\s+control|uncontrolled|case\s+(?:series|study|report)|hypothes[ie]s|may|might|could|suggests?|possibl[ey]|perhaps|unclear|unknown|cannot\s+(?:conclude|say|tell|claim|infer)|can't\s+(?:conclude|say|tell)|caution|caveats?|limitations?|confound\w*|correlation\s+(?:is|does)\s+not|cannot\s+be\s+(?:named|known|told|said)|season\w*|does\s+not\s+(?:prove|show|mean|imply|establish)|control(?:led|ling)\s+for|randomi[sz]ed|keep\s+running|more\s+data|both\s+follow)\b/i

const few =
  '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a\\s+(?:few|handful|couple\\s+of)|[1-9]|[12]\\d)'
const people =
  '(?:users?|customers?|people|persons?|patients?|respondents?|participants?|employees?|colleagues?|friends?|engineers?|developers?|students?|stores?|shops?|clients?|reviews?|companies|startups?|subjects?|volunteers?|interviews?|responses?|trades?|observations?|data\\s+points?|samples?|households?|doctors?|players?)'

const smallSample = new RegExp(
  `\\b(?:all\\s+)?${few}\\s+(?:out\\s+)?of\\s+(?:the\\s+|our\\s+)?${few}\\b|\\b(?:survey|poll|sample|interview\\w*|asked|talked\\s+to|spoke\\s+(?:to|with)|tested\\s+(?:on|with|by)|tried\\s+(?:on|with)|based\\s+on|from|after|n\\s?=)\\s+(?:\\w+\\s+){0,2}?${few}(?!\\d|[.,:/]\\d|\\s?%|\\s?(?:[ap]m|UTC|January|February|March|April|May|June|July|August|September|October|November|December)\\b)\\b(?:\\s+(?:\\w+\\s+){0,2}${people})?`,
  'i',
)
const countOfPeople = new RegExp(`\\b${few}\\s+(?:\\w+\\s+){0,2}${people}\\b`, 'i')

const generalises =
  /\b(?:prov(?:es?|en|ing)|proof|works?\s+(?:for\s+everyone|every\s+time|in\s+(?:all|every))|so\s+it\s+works|everyone|everybody|every\s+(?:customer|user|patient|company)|all\s+(?:customers|users|patients|people|companies|women|men|developers)|the\s+(?:whole\s+)?(?:market|public|population|country|industry)|consumers|always|never\s+fails|definitely|certain(?:ty|ly)?|conclusive(?:ly)?|demonstrates?\s+(?:conclusively|that)|confirms?\s+that|clearly|undeniabl\w+|no\s+doubt|without\s+doubt|obvious(?:ly)?|market\s+fit)\b/i

const together =
  /\b(?:rise|rose|rising|fall|fell|grow|grew|move|moves|moved|increase[sd]?|decrease[sd]?|drop(?:s|ped)?|higher|lower|more|fewer)\b[^.!?\n]{0,100}\b(?:together|at\s+the\s+same\s+time|in\s+(?:step|tandem|parallel)|too|as\s+well|also|since|after|when|with)\b|\b(?:correlat\w+|coincid\w+|associat\w+|same\s+(?:week|month|quarter|year|period|day|time)|went\s+(?:up|down)\s+(?:after|when|since)|the\s+(?:week|month|day|year)\s+(?:after|we|that))\b/i
const causes =
  /\b(?:therefore|hence|thus|so|which\s+means|this\s+means|meaning|proves?|shows?\s+that|demonstrates?|confirms?|clearly|must\s+(?:be|have)|it\s+follows)\b[^.!?\n]{0,100}\b(?:caus(?:e[sd]?|ing)|because\s+of|due\s+to|thanks\s+to|responsible|the\s+reason|led\s+to|leads\s+to|drives?|drove|makes?|made|result(?:s|ed)\s+(?:from|in)|attributable|works?|effective|kills?|cures?|improves?|harms?)\b/i

/** What makes a tested strategy look better than it can be. */
const flatters: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:clos(?:e|ing)(?:\s+price)?|high|low|daily\s+(?:close|high|low))\s+(?:price\s+)?of\s+(?:the\s+)?(?:(?:same|that)\s+)?day\b[^.!?\n]{0,120}\b(?:at|on)\s+the\s+(?:same\s+day'?s?\s+)?open\b|\b(?:uses?|using|used|with|on|knows?|includes?|based\s+on)\s+(?:\w+\s+){0,3}(?:tomorrow'?s?|next[- ](?:day|bar|week|month)'?s?|future|the\s+following\s+day'?s)\s+(?:\w+\s+){0,2}(?:clos\w*|prices?|returns?|data|high|low|values?|bar|earnings|information)\b|\blook-?ahead\s+(?:was|is)\s+(?:fine|ok|ignored|accepted)/i,
    'It knows what was not known at the time.',
  ],
  [
    /\b(?:fit(?:ted)?|train(?:ed)?|optimi[sz]ed|tun(?:ed|ing)|calibrat\w+|chosen|picked|selected|normali[sz]ed|scaled)\b[^.!?\n]{0,80}\b(?:on|over|using|with|from)\s+(?:the\s+)?(?:same|test|whole|full|entire|complete|hold-?out|validation|evaluation)\s+(?:(?:data|test|sample|history|period|price|time)\s*)*(?:set|data|period|sample|series|history|years?)\b|\b(?:train|test)(?:ing)?\s+(?:and\s+(?:test|evaluat)\w*\s+)?(?:data|sets?)\s+(?:overlap|are\s+the\s+same)|\b(?:evaluated|tested|scored|measured)\s+on\s+(?:the\s+)?training\s+(?:data|set)/i,
    'It is judged by the data that it was made with.',
  ],
  [
    /\b(?:current(?:ly)?|today'?s|surviving|existing|still\s+(?:trading|listed|in\s+business))\s+(?:\w+\s+){0,2}(?:members?|constituents?|listed|components?|companies|stocks|funds|firms|coins|tokens)\b[^.!?\n]{0,100}\b(?:backtest\w*|since\s+(?:19|20)\d\d|over\s+the\s+(?:last|past)|from\s+(?:19|20)\d\d|history|returned|outperform\w*)|\b(?:exclud\w+|removed|dropped|left\s+out|ignor\w+|omitt\w+|without|discard\w+|threw\s+out|filtered\s+out)\s+(?:\w+\s+){0,4}(?:failed|failures?|bankrupt\w*|delisted|losing|losers|losses|worst|bad|negative|unprofitable|unfavou?rable|inconvenient|contradict\w*|churned|dead|crash\w*|drawdowns?)\b/i,
    'What went badly was left out.',
  ],
  [
    /\b(?:no|without|ignor\w+|before|exclud\w+|zero|neglect\w+|assum\w+\s+(?:no|zero))\s+(?:any\s+)?(?:(?:transaction|trading|borrow\w*)\s+)?(?:costs?|fees|slippage|commissions?|spreads?)\b[^\n]{0,200}\b(?:sharpe|returns?|profit\w*|per\s+cent|%)|\b(?:sharpe|returns?|profit\w*)\b[^\n]{0,200}\b(?:no|without|ignor\w+|before|exclud\w+|zero|neglect\w+)\s+(?:any\s+)?(?:(?:transaction|trading)\s+)?(?:costs?|fees|slippage|commissions?|spreads?)\b/i,
    'Costs are left out of the result.',
  ],
  [
    /\b(?:tried|tested|ran|searched|scanned)\s+(?:over\s+|about\s+|some\s+)?(?:\d{2,}|hundreds|thousands|dozens|many|all)(?:,\d{3})?\s+(?:\w+\s+){0,3}(?:variants?|strateg\w+|combinations?|parameters?|metrics|hypotheses|models?|features?|segments?|subgroups?|settings|indicators)\b[^\n]{0,160}\b(?:best|only|one|picked|chose|report\w*|kept|significant|winner)\b|\b(?:stopp?ed|ended|peek\w*|check\w*)\s+(?:\w+\s+){0,4}(?:as\s+soon\s+as|once|when|until)\s+(?:\w+\s+){0,4}(?:significan\w+|p\s?<|p-?value|winner|positive)|\bcherry-?pick\w*|\bp-?hack\w*|\b(?:only|just)\s+(?:report|show|include|count|used?|took|kept)\w*\s+(?:the\s+)?(?:\w+\s+){0,2}(?:best|winning|successful|good|positive|favou?rable|profitable)\b/i,
    'The best of many was picked.',
  ],
]
/** Figures that do not say what is concluded from them. */
const misread: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:averag\w+|mean\s+of|add(?:ed|ing)?(?:\s+up)?|sum(?:med)?)\s+(?:of\s+)?(?:the\s+|all\s+|our\s+)?(?:\w+\s+)?(?:p\d\d(?:\.\d)?|percentiles?|medians?|quantiles?)\b/i,
    'Percentiles cannot be averaged or added.',
  ],
  [
    /\b(?:features?|predictors?|variables?|inputs?|columns?)\b[^\n]{0,120}\b(?:recorded|known|filled|set|collected|available|measured|written)\s+(?:only\s+)?(?:after|once|when)\s+(?:the\s+)?(?:\w+\s+)?(?:default|outcome|event|churn|purchase|fraud|diagnosis|death|loss|label|target|cancel\w*)/i,
    'It knows what was not known at the time.',
  ],
  [
    /\b(?:delet|remov|drop|discard|exclud)\w*\b[^.\n]{0,60}\b(?:readings?|measurements?|values?|points?|samples?|hosts?|data|outliers?)\b[^.\n]{0,60}\b(?:as|because|since)\s+(?:they|it)\s+(?:do(?:es)?\s?n[o']t|didn't|did\s+not|don't)\s+(?:fit|match|agree|suit)/i,
    'What did not fit was left out.',
  ],
  [
    /\b(?:average|mean)\b[^.\n]{0,160}\b(?:so|therefore|thus|hence|which\s+means)\b[^.\n]{0,40}\b(?:typical|most|normal|everyone|everybody|nearly\s+all)\b/i,
    'A mean is no typical value.',
  ],
]
const correctsIt =
  /\b(?:out[- ]of[- ]sample|walk[- ]forward|hold-?out\s+(?:set|data|period|sample)|bonferroni|benjamini|deflated|correct(?:ed|ion|s)?\s+for|adjusted\s+for|point[- ]in[- ]time|including\s+delisted|delisted\s+\w+\s+included|survivorship[- ](?:bias[- ])?free|never|not|avoid\w*|to\s+be\s+redone|cannot|invalid|bias(?:ed)?|wrong|mistake|overstat\w+|so\s+the\s+result\s+is|do\s+not\s+trust|fees\s+included|after\s+(?:fees|costs))\b/i

const toCount = (text: string): number => Number(text.replace(/,/g, ''))

/** The probability that two shares differ as much by chance: the two-sided test of two proportions. */
const chance = (hits: number, total: number, otherHits: number, otherTotal: number): number => {
  const pooled = (hits + otherHits) / (total + otherTotal)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / total + 1 / otherTotal))
  if (error === 0) return 1
  const z = Math.abs(hits / total - otherHits / otherTotal) / error
  // Abramowitz and Stegun 7.1.26.
  const t = 1 / (1 + 0.3275911 * (z / Math.SQRT2))
  const poly =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  return poly * Math.exp((-z * z) / 2)
}

const decides =
  /\b(?:wins?|winner|won|significant(?:ly)?|proven|proves?|statistically|clear(?:ly)?|conclusive(?:ly)?|ship\s+it|roll\s+(?:it\s+)?out|better)\b/i
const undecided =
  /\b(?:not\s+(?:yet\s+)?(?:statistically\s+)?significant|no\s+(?:significant|clear|winner)|insignificant|inconclusive|not\s+(?:proven|conclusive|clear)|p\s*[=>]\s*0?\.(?:0[5-9]|[1-9])|keep\s+running|underpowered|too\s+(?:small|early|few)|within\s+noise|by\s+chance)\b/i

const ratioPattern = /(\d[\d,]{0,8})\s+(?:\w+\s+){0,3}?(?:of|out\s+of|\/|from|in|per)\s+(\d[\d,]{1,9})\b/gi

const findChance = (text: string): string | undefined => {
  if (!decides.test(text) || undecided.test(text)) return undefined
  const [first, second] = [...text.matchAll(ratioPattern)]
    .map(([, hits = '', total = '']) => [toCount(hits), toCount(total)] as const)
    .filter(([hits, total]) => total >= 10 && hits <= total)
  if (
    !first ||
    !second ||
    !/\b(?:variant|version|arm|group|control|treatment|conver\w+|sign-?ups?|clicks?|test|[AB])\b/.test(text)
  )
    return undefined
  const p = chance(...first, ...second)
  return p > 0.1
    ? `${first.join(' of ')} and ${second.join(' of ')} differ as much by chance: p = ${p.toFixed(2)}.`
    : undefined
}

/** A p-value that does not say what is said of it. */
const findWrongP = (text: string): string | undefined => {
  for (const [whole, value = ''] of text.matchAll(
    /\bp(?:-?value)?\s*(?:=|of|is|was|:)\s*(0?\.\d{1,4}|1\.0+)/gi,
  ))
    if (
      Number(value) > 0.1 &&
      /(?<!(?:\b(?:not|non-?|in|no)|n't)\s{0,2}(?:\w+\s)?)\b(?:statistically\s+)?significant(?:ly)?\b|\b(?:proves?|proven|confirms?|conclusive)\b/i.test(
        text,
      ) &&
      !undecided.test(text.replace(whole, '')) &&
      !/(?:\b(?:not|no|non|in)|n't)[\s-]?(?:\w+\s+){0,3}significan|\b(?:not|nothing|cannot|no)\b[^.!?]{0,30}\b(?:prov|confirm|conclu|reject|differ)/i.test(
        text,
      )
    )
      return `${whole} is not significant.`
  return undefined
}

const totalForm =
  /\b(?:totals?|sum|in\stotal|altogether|overall)\s{0,3}(?:[:=]|is|of|comes\sto|was|cost)?\s{0,3}[$€£]?\s?(\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?|\d{1,9}(?:\.\d{1,2})?)(?![\d%]|\s?%)/gi
/** The end of a list before its total: "hosting 400", or "- Rent: 1,200". */
const itemForm =
  /^[^\d]*[a-z][^\d]*?(\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?|\d{1,9}(?:\.\d{1,2})?)\s?(?:USD|EUR|GBP|k)?\s*$/i
const maxItems = 13
const maxListLength = 800

/** The amounts of the list that ends a text; none where a part of it cannot be read for certain. */
const readList = (text: string): number[] => {
  const amounts: number[] = []
  const parts = text.split(/,(?!\d{3}(?!\d))|[;+|\n]|\band\b/)
  for (const part of parts.reverse()) {
    if (amounts.length === maxItems) break
    if (part.trim() === '' && amounts.length > 0) continue
    const match = itemForm.exec(part) ?? itemForm.exec(part.slice(part.search(/[.:][^.:]*$/) + 1))
    if (match) amounts.push(toCount(match[1] ?? ''))
    else if (/\d/.test(part)) return []
    else break
  }
  return amounts
}

/** Items with amounts that a total follows: "hosting 400, staff 3,200. Total 3,600". */
const findWrongTotal = (text: string): string | undefined => {
  for (const { 1: total = '', index } of text.matchAll(totalForm)) {
    const before = text.slice(Math.max(0, index - maxListLength), index)
    const list = before.replace(/\bgrand\s$/i, '')
    const end = /[\s.,;*•|-]{0,20}$/.exec(list)?.index ?? list.length
    if (!/[.,;\n]/.test(list.slice(end))) continue
    const amounts = readList(list.slice(0, end))
    const sum = amounts.reduce((all, one) => all + one, 0)
    const stated = toCount(total)
    // An amount left out of the list, such as a tax, makes a total larger but by little.
    if (amounts.length >= 2 && Math.abs(sum - stated) > Math.max(1, stated * 0.005))
      return `The items come to ${sum}, not ${stated}.`
  }
  return undefined
}

/** What a report may conclude from what it has. */
export const evidenceRules: readonly Rule[] = [
  wholeRule({
    id: 'evidence-sample',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Say how few they are and for whom they speak, or ask more.',
    hits: [
      'The drug cured 3 of 3 patients, so it works for everyone.',
      'A survey of 12 people in our office proves that consumers prefer it.',
      'We talked to five customers; clearly the whole market wants this.',
    ],
    misses: [
      'The drug helped 3 of 3 patients; there was no control group, so the effect is unproven.',
      'A survey of 1,204 adults shows that 41 % prefer it (±2.8 points).',
      'We talked to five customers and wrote down what they asked for.',
    ],
    see(artifact) {
      if (!isReport(artifact)) return
      const { prose } = artifact
      const text = prose.slice(0, 6000)
      const match =
        smallSample.exec(text) ??
        (/\b(?:survey|asked|interview|poll)/i.test(text) ? countOfPeople.exec(text) : null)
      if (!match || hedged.test(text)) return
      const around = text.slice(Math.max(0, match.index - 160), match.index + match[0].length + 240)
      return generalises.test(around) && `So few speak for few: ${match[0].trim().slice(0, 60)}`
    },
  }),
  wholeRule({
    id: 'evidence-cause',
    category: 'claims',
    type: 'analysis',
    severity: 'medium',
    fix: 'Name what else may explain it, and what was compared.',
    hits: [
      'Sales of ice cream and drownings rise together, therefore ice cream causes drowning.',
      'Sign-ups went up the week we changed the logo, so the logo clearly made people sign up.',
    ],
    misses: [
      'Both rise together because both follow temperature; controlling for it the correlation is gone.',
      'The disk was full, so the database stopped.',
      'Error rates fell after the rollback; the log shows that the bad query is gone.',
    ],
    see(artifact) {
      if (artifact.type !== 'analysis' || artifact.prose === '') return []
      const text = artifact.prose.slice(0, 6000)
      if (hedged.test(text) || /\b(?:log|trace|profile|stack|commit|query|bug|rollback|config)\b/i.test(text))
        return []
      const sentences = readSentences(text)
      return sentences.flatMap(({ text, place }, nth): Hit[] => {
        const before = `${sentences[nth - 1]?.text ?? ''} ${text}`
        const match = causes.exec(text)
        return match && together.test(before)
          ? [{ detail: `What goes together need not be cause: ${match[0].slice(0, 80)}`, place }]
          : []
      })
    },
  }),
  wholeRule({
    id: 'evidence-flattered',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Test on data that nobody has looked at, with costs and with what failed.',
    hits: [
      'The backtest uses the closing price of the day for trades at the open of the same day: Sharpe 6.',
      'Parameters were optimised on the full sample; the strategy earned 80 %.',
      'We excluded the losing months. The average return is 4 %.',
      'Sharpe is 3.1, before any transaction costs.',
      'We tried 400 parameter combinations and report the best one.',
    ],
    misses: [
      'Signals use the close of day t and trade at the open of t+1; costs of 5 bps; walk-forward.',
      'Parameters were fitted until 2018 and tested out of sample from 2019.',
      'The returns are after fees and slippage.',
      'We tested 20 features with a Bonferroni correction; one is significant.',
    ],
    see(artifact) {
      if (!isReport(artifact) && artifact.type !== 'trade') return []
      const text = (artifact.prose || artifact.text).slice(0, 6000)
      if (correctsIt.test(text)) return []
      return [...flatters, ...misread].flatMap(([pattern, detail]): Hit[] =>
        pattern.test(text) ? [{ detail }] : [],
      )
    },
  }),
  wholeRule({
    id: 'evidence-chance',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Say that it may be chance, or go on until it cannot be.',
    hits: [
      'Variant B had 52 conversions of 1,000 against 48 of 1,000 for A. B wins.',
      'The difference is statistically significant (p = 0.34).',
    ],
    misses: [
      'Variant B had 520 conversions of 4,000 against 400 of 4,000 for A. B wins.',
      'Variant B had 52 conversions of 1,000 against 48 of 1,000: not significant.',
      'The difference is significant (p = 0.003).',
      'With p = 0.4 the difference is not significant.',
    ],
    see(artifact) {
      if (!isReport(artifact)) return
      const text = artifact.prose.slice(0, 6000)
      return findChance(text) ?? findWrongP(text)
    },
  }),
  wholeRule({
    id: 'evidence-total',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Add the items up again.',
    hits: [
      'Costs: hosting 400, staff 3,200, tools 150. Total 4,350.',
      '- Rent: 1,200\n- Food: 300\nTotal: 1,800',
    ],
    misses: [
      'Costs: hosting 400, staff 3,200, tools 150. Total 3,750.',
      '- Rent: 1,200\n- Food: 300\nTotal: 1,500',
      'We had 12 meetings, 3 workshops and 40 calls in May.',
    ],
    see(artifact) {
      if (!isReport(artifact)) return
      return findWrongTotal(artifact.prose.slice(0, 6000))
    },
  }),
]
