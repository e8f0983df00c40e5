import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isReport = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'analysis' || type === 'agent_output' || type === 'general')

const maxRead = 6000

const toNumber = (text = ''): number => Number(text.replace(/,/g, ''))

const currency = '(?:[$€£]|EUR|USD|GBP|CHF)'
const figure = String.raw`(?:${currency}\s?)?(\d[\d,]{0,14}(?:\.\d{1,4})?)\s?(k|m|mn|million|bn|billion|t|kg|MWh|kWh|GWh|h|hours|pieces|units)?\s?(?:${currency})?`
const itemForm = new RegExp(
  String.raw`^(?:[-*•]\s{0,3})?(?:and\s+)?[A-Za-z][\w '&/().-]{0,40}?\s{0,3}[:=]?\s{0,3}${figure}$`,
  'i',
)
const totalForm = new RegExp(
  String.raw`\b(?:grand\s+total|totals?|sum|in\s+total|altogether|overall)\b(?:\s+[a-z]+){0,3}\s{0,3}[:=]?\s{0,3}${figure}(?!\w|\s?%|[.,]?\d)`,
  'i',
)

type Item = { amount: number; unit: string }

const readItems = (text: string): Item[] | undefined => {
  const parts = text
    .replace(/^[^:\n]{0,60}:\s(?=\D{1,40}\d)/, '')
    .split(/[,;]\s|\n|\s\+\s|\sand\s/)
    .map(part => part.trim().replace(/[.;,]$/, ''))
    .filter(part => part !== '')
  const items = parts.slice(0, 40).map(part => itemForm.exec(part))
  if (items.some(item => item === null)) return undefined
  return items.map(item => ({ amount: toNumber(item?.[1]), unit: (item?.[2] ?? '').toLowerCase() }))
}

/** A total that its parts, all in one unit and in a line of their own, do not come to. */
const findWrongSum = (text: string): string | undefined => {
  const rows = text.split('\n').map(row => row.trim().slice(0, 600))
  for (const [nth, row] of rows.entries()) {
    const match = totalForm.exec(row)
    if (!match) continue
    const [, digits, unit = ''] = match
    const before = row.slice(0, match.index).replace(/[\s,;:.=-]+$/, '')
    let list = before
    if (!/\d/.test(before)) {
      let first = nth
      while (first > 0 && nth - first < 20 && itemForm.test((rows[first - 1] ?? '').replace(/[.;,]$/, '')))
        first--
      list = first < nth - 1 ? rows.slice(first, nth).join('\n') : (rows[nth - 1] ?? '')
    }
    const items = readItems(list)
    if (!items || items.length < 3 || items.some(item => item.unit !== unit.toLowerCase())) continue
    const sum = items.reduce((all, { amount }) => all + amount, 0)
    const stated = toNumber(digits)
    if (Math.abs(sum - stated) > Math.max(stated * 0.01, 0.011 * items.length * (stated < 100 ? 1 : 0)))
      return `The parts come to ${Number(sum.toFixed(4))}${unit && ` ${unit}`}, not ${digits}.`
  }
  return undefined
}

const oneEach =
  /\b(?:single[- ](?:choice|answer|select)|one\s+(?:answer|choice|reason|vote)\s+(?:only|each|per)|exactly\s+one|(?:market\s+)?shares?|split|breakdown|composition|mix|allocation|of\s+(?:all|the\s+total)|pick(?:ed)?\s+one)\b/i
const manyEach =
  /\b(?:multiple|several\s+answers|more\s+than\s+one|up\s+to\s+\w+\s+answers|overlap\w*|growth|grew|margins?|increase\w*|change\w*|returns?|utili[sz]ation|completion|coverage|availab\w+|occupancy|vs\.?|versus|20\d\d\b[^\n]{0,80}\b20\d\d)\b/i

/** Shares of one whole that come to more than all of it. */
const findTooManyShares = (text: string): string | undefined => {
  if (!oneEach.test(text) || manyEach.test(text)) return undefined
  for (const row of text.split(/\n|\.\s(?=[A-Z])/)) {
    const parts = row
      .slice(0, 600)
      .replace(/^[^:\n]{0,60}:\s/, '')
      .split(/[,;]\s|\sand\s/)
    const shares = parts.map(part =>
      /^[A-Za-z][\w '&/().-]{0,40}?[:=]?\s{0,3}(\d{1,3}(?:\.\d{1,2})?)\s?%\.?$/.exec(part.trim()),
    )
    if (shares.length < 3 || shares.some(share => share === null)) continue
    const sum = shares.reduce((all, share) => all + Number(share?.[1]), 0)
    if (sum > 101.5) return `The shares come to ${Number(sum.toFixed(2))} %.`
  }
  return undefined
}

const allWell =
  /\b(?:all|every(?:\s+one)?|each)\s+(?:of\s+(?:the\s+)?)?(?:\d[\d,]{0,8}\s+)?(?:\w+\s+){0,3}(?:passed|pass(?:es)?|succeeded|(?:were|was|are|is)\s+(?:green|successful|ok|delivered|restored|verified|migrated|intact|correct))\b|\b100\s?%\s+(?:\w+\s+){0,2}(?:passed|pass\s+rate|success(?:ful)?|delivered|migrated|restored)\b|\b(?:no|zero|without)\s+(?:any\s+)?(?:failures|errors|failed\s+\w+|losses)\b/i
const someIll =
  /(?<![\d.,])([1-9][\d,]{0,8})\s+(?:of\s+(?:them|[\d,]{1,9})\s+)?(?:\w+\s+){0,2}(?:failed|failures?|failing|errors?|corrupt\w*|missing|lost|did\s+not\s+(?:pass|arrive|match))\b|\bfail(?:ed|ures?)\s{0,2}[:=]\s{0,2}([1-9]\d{0,6})\b/i
const mended =
  /\b(?:re-?r[au]n|retr(?:y|ied)|fixed|initially|first\s+run|previously|before|earlier|at\s+first|yesterday|last\s+(?:week|night|run|month)|re-?sent|repaired|expected|since|until|known\s+flaky|0\s+fail\w*|not\s+all|instead\s+of|claims?|wrong(?:ly)?|incorrect)\b/i

const nobodyHit =
  /\b(?:no|not\s+a\s+single|none\s+of\s+(?:the|our)|zero)\s+(?:\w+\s+)?(?:customers?|users?|clients?|patients?|passengers?|one|body|impact|orders?|payments?)\s+(?:\w+\s+){0,2}(?:affected|impacted|harmed|hit|noticed|concerned|delayed)\b|\b(?:nobody|no\s+one)\s+(?:was|has\s+been|were)\s+(?:affected|impacted|harmed|hurt)\b|\b(?:no|zero)\s+(?:customer|user)\s+impact\b/i
const somebodyHit =
  /(?<![\d.,])([1-9][\d,]{0,9})\s+(?:\w+\s+){0,2}(?:orders?|payments?|customers?|users?|requests?|transactions?|accounts?|passengers?|patients?|bookings?|messages?)\s+(?:\w+\s+){0,2}(?:failed|lost|delayed|affected|locked|cancelled|rejected|complained|charged|missed|dropped|stranded|injured|could\s+not)\b|(?<![\d.,])([1-9][\d,]{0,9})\s+(?:\w+\s+)?(?:complaints|failed\s+(?:orders?|payments?|logins?|requests?)|refunds\s+(?:were|had|for))\b/i

const stated =
  /\b(?:lasted|was\s+down\s+for|outage\s+(?:of|was|took)|downtime\s*(?:of|was|:)|duration\s*(?:of|was|:)|took|back\s+(?:up\s+)?(?:after|within))\s+(?:only\s+|just\s+|about\s+|some\s+)?(\d{1,4}(?:\.\d)?)\s?(minutes?|mins?|hours?|h)\b/i
const begins =
  /\b(?:down|outage|began|begins|started?|starts|alert|alarm|lost|stopped|unreachable|fail\w*)\b/i
const ends =
  /\b(?:restored|recovered|resolved|back|up\s+again|fixed|ended|ends|normal|running\s+again|over)\b/i

/** A duration that the clock times beside it do not bear out. */
const findWrongDuration = (text: string): string | undefined => {
  const [, count, unit = ''] = stated.exec(text) ?? []
  if (count === undefined) return undefined
  const minutes = Number(count) * (/^h/i.test(unit) ? 60 : 1)
  const steps = text.split(/[;\n]|,\s(?=(?:at\s)?\d{1,2}:\d{2}\b)|\.\s/).flatMap(part => {
    const time = /(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d])/.exec(part)
    return time && !stated.test(part) ? [{ part, at: Number(time[1]) * 60 + Number(time[2]) }] : []
  })
  const first = steps.find(({ part }) => begins.test(part) && !ends.test(part))
  const last = steps.filter(({ part }) => ends.test(part)).at(-1)
  if (!first || !last || last.at <= first.at) return undefined
  const span = last.at - first.at
  return span > minutes * 1.5 + 5
    ? `It says ${count} ${unit}, and the times beside it span ${span} minutes.`
    : undefined
}

const saysClean =
  /\bno\s+(?:\w+\s+)?(?:vulnerabilit\w+|defects?|issues?|problems?|risks?|weakness\w*|side\s+effects|bugs?|contamination|errors?|faults?)\b|\b(?:is|are)\s+(?:\w+\s+)?(?:safe|secure|compliant|sound|free\s+of|fit\s+for|ready\s+for)\b/i
const nothingTested =
  /\b(?:no|not\s+a\s+single|none\s+of\s+the)\s+(?:[\w-]+\s+){1,4}(?:was|were|has\s+been|have\s+been)\s+(?:called|tested|checked|run|inspected|examined|opened|sampled|measured|executed|scanned|taken|done|performed|provided|supplied|available)\b|\bnothing\s+(?:was|has\s+been)\s+(?:tested|checked|run|inspected|examined|measured)\b|\b(?:source(?:\s+code)?|test\s+(?:environment|system|bench)|samples?|device|laboratory|site|building|access)\s+(?:was|were)\s+(?:not\s+(?:provided|available|accessible|reachable|given|visited|opened)|unavailable|inaccessible|never\s+\w+)\b|\b(?:rests?|based|relies|rely)\s+(?:only\s+|solely\s+|entirely\s+)?on\s+(?:the\s+)?(?:vendor|supplier|manufacturer|seller|provider)(?:'s|s')?\s+(?:brochure|word|statement|website|marketing|leaflet|claims?|assurance)\b/i
const leavesOpen =
  /\b(?:cannot\s+(?:be\s+)?(?:say|said|concluded?|stated?|confirm(?:ed)?|rate[d]?|judged?)|can't\s+(?:say|conclude|confirm)|no\s+(?:statement|conclusion|verdict|opinion|rating)|inconclusive|not\s+possible|unknown|does\s+not\s+mean|must\s+be\s+(?:repeated|tested|done)|before\s+(?:launch|release|use)\b[^.\n]{0,40}\btest|until\s+(?:it|this|the)|open\s+point|not\s+assessed|to\s+be\s+(?:tested|repeated|done))\b/i

/** An average that is not that of the numbers that it names. */
const findWrongAverage = (text: string): string | undefined => {
  const [, list = '', result = ''] =
    /\b(?:average|mean)\s+of\s+(\d[\d., and]{4,60}\d)\s?(?:[a-z%€$]{1,10}\s)?(?:is|was|=|equals)\s?(\d{1,9}(?:\.\d{1,4})?)/i.exec(
      text,
    ) ?? []
  const values = list.split(/,\s|\s?(?:,\s?)?and\s/).map(value => Number(value))
  if (values.length < 2 || values.some(value => !Number.isFinite(value))) return undefined
  const average = values.reduce((all, value) => all + value, 0) / values.length
  return Math.abs(average - Number(result)) > Math.max(0.06, average * 0.01)
    ? `The average of ${list} is ${Number(average.toFixed(3))}, not ${result}.`
    : undefined
}

/** Texts whose own numbers and statements are at odds. */
export const contradictionRules: readonly Rule[] = [
  wholeRule({
    id: 'claim-self-contradiction',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Make the summary say what the details say.',
    hits: [
      'Sales by depot (ERP export, 4 May)\nA 2.10 M, B 1.40 M, C 0.80 M.\nTotal sales: 5.30 M EUR.',
      'Headcount: Berlin 120, Lyon 80, Porto 45; in total 290.',
      'Main reason for leaving, one answer only (n = 90)\nPay 52 %, commute 38 %, boss 27 %.',
      {
        type: 'agent_output',
        artifact: 'Nightly suite: all 120 checks passed. Detail: 117 ok, 3 failed (login, export, refund).',
      },
      { type: 'agent_output', artifact: 'Restore finished without errors. Log: failed: 14.' },
      'The outage lasted 20 minutes. 08:05 shop down; 10:40 service restored.',
      'Nobody was affected. Impact: 212 orders failed and 14 complaints came in.',
      'The average of 4, 6 and 8 hours is 7 hours (timesheets).',
      'The bridge is safe. Note: no load test was performed and the site was not visited.',
    ],
    misses: [
      'Sales by depot (ERP export, 4 May)\nA 2.10 M, B 1.40 M, C 0.80 M.\nTotal sales: 4.30 M EUR.',
      'Headcount: Berlin 120, Lyon 80, Porto 45; in total 245.',
      'Channels used, multiple answers (n = 90)\nMail 52 %, phone 38 %, chat 27 %.',
      { type: 'agent_output', artifact: 'First run: 3 failed. After the fix all 120 checks passed.' },
      { type: 'agent_output', artifact: 'Not all checks passed: 3 failed, so I did not merge.' },
      'The outage lasted 20 minutes. 08:05 shop down; 08:25 service restored.',
      'The average of 4, 6 and 8 hours is 6 hours (timesheets).',
      'No patient was affected; 12 appointments were moved by a day in agreement with them.',
      'No load test was performed, so we cannot say whether the bridge is safe.',
    ],
    see(artifact) {
      if (!isReport(artifact)) return []
      const text = artifact.prose.slice(0, maxRead)
      if (!/\d|\bno(?:thing|t)?\b/i.test(text)) return []
      const details: (string | undefined)[] = [
        findWrongSum(text),
        findTooManyShares(text),
        findWrongDuration(text),
        findWrongAverage(text),
      ]
      const ill = someIll.exec(text)
      if (ill && allWell.test(text) && !mended.test(text))
        details.push(`It says that all went well, and: ${ill[0].slice(0, 60)}`)
      const hit = somebodyHit.exec(text)
      if (hit && nobodyHit.test(text))
        details.push(`It says that nobody was affected, and: ${hit[0].slice(0, 60)}`)
      const untested = nothingTested.exec(text)
      if (untested && saysClean.test(text.replace(untested[0], '')) && !leavesOpen.test(text))
        details.push(`It says what it is like, and: ${untested[0].slice(0, 80)}`)
      return details.flatMap((detail): Hit[] => (detail === undefined ? [] : [{ detail }]))
    },
  }),
]
