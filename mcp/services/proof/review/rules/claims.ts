import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isClaim = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'analysis' || type === 'agent_output' || type === 'general')

const number = (text: string): number => Number(text.replace(/[,_\s$€£]/g, ''))

const near = (a: number, b: number, share = 0.02): boolean =>
  Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * share + 1e-9

/** The lines with something in them. */
const rows = (text: string) =>
  text
    .split('\n')
    .map((row, nth) => ({ text: row.slice(0, 2000), place: { line: nth + 1 } }))
    .filter(({ text }) => text.length > 5)

const source =
  /\b(?:source|sources|according\s+to|per\s+the|data\s+from|cited|citation|reported\s+by|survey\s+(?:of|by)|study\s+by|see\s+(?:table|figure|section|appendix|https?)|measured|benchmark(?:ed)?|we\s+(?:ran|measured|counted|observed)|audit(?:ed)?|out[- ]of[- ]sample|\d+\s+(?:trades|samples|observations|respondents|runs)|10-[KQ]|filing|dataset|n\s?=\s?\d|futures\s+price|held-?out|\d{2}\s?%\s+CI)|\([^()]{0,80}\b(?:exports?|ledger|data|exchange|offices?|regist(?:er|ry)|reports?|invoices?|logs?|panel|stud(?:y|ies)|table|survey|police|payroll|dashboard|grafana|matomo|index|lease|contract|closes?|filed?|memo|minutes|section|p\.|page|accounts?|inspection|billing|crm|readings?|meters?|measurements?|extracts?|erp|warehouse|sensors?|counts?|census|statistics|photos?)\b[^()]{0,80}\)|https?:\/\/|\[\d{1,3}\]|\(\d{4}\)/i

/** What a figure is worth can be seen: of how many, over what time, how spread; or the text itself works it out. */
const grounded =
  /\bout\s+of\s+[\d,]{2,}|\bof\s+(?:the\s+)?[\d,]{2,12}\s+[a-z]|\bin\s+(?:19|20)\d\d\b|\b(?:from|between)\s+(?:19|20)\d\d\s+(?:to|and|until)\b|\b(?:standard\s+deviation|interval|margin\s+of\s+error|per\s+cent(?:age)?\s+points?|sensitivity|specificity|sample|median|quartile|average\s+rate|exchange\s+rate|back-?test|control\s+group|placebo|baseline)\b|\bp\s?[=<]|±|\b(?:costs?|income|budget|total|together|leaves|adds?\s+up|sum)\b[^.!?\n]{0,60}\d|\b(?:from|rose|fell|grew)\s+(?:\w+\s+)?[\d.,]{1,15}\s?%?\s+to\s+[\d.,]{1,15}/i

/** Counts beside the shares that come of them: what is said can be worked out again. */
const worksOut =
  /\b\d[\d,.]*\s?(?:\/|of(?:\s+the)?)\s?\d[\d,.]*\b|\b\d[\d,]*\s+[a-z][^.%\n]{0,30}\(\d[\d.,]*\s?%\)|\(\s?\d[\d,]*\s+(?:of|\/)\s+\d/i

/** Who says so wants to be believed at once. */
const pressing =
  /\b(?:prov(?:es?|en)|guarantee\w*|clearly|definitely|obviously|certainly|undoubtedly|everyone|everybody|nobody|always|studies\s+show|experts?\s+(?:say|agree)|must\s+(?:buy|sell|invest|act|switch)|will\s+(?:reach|grow|double|triple|explode|dominate|never)|by\s+20[3-9]\d|fastest|best|huge|massive|should\s+(?:buy|sell|invest|sign|switch|hire|close|move|cancel))\b/i

const least = /^(?:cheapest|fastest|lowest|smallest|shortest|least)/i

/** What is called the cheapest, largest and so on, and is not by the numbers beside the names. */
const findWrongBest = (text: string): string | undefined => {
  const [, named = '', degree = ''] =
    /\b([A-Z]\w{0,20})\s+(?:is|was)\s+(?:clearly\s+)?the\s+(cheapest|fastest|lowest|smallest|shortest|least\s+expensive|most\s+expensive|slowest|highest|largest|longest|biggest)\b/.exec(
      text,
    ) ?? []
  if (named === '') return undefined
  const figures = [
    ...text.matchAll(
      /\b([A-Z]\w{0,20})\s+(costs?|takes?|took|needs?|has|had|is|was|scored?|sold|earned|at)\s+[$€£]?(\d[\d,]{0,12}(?:\.\d{1,6})?)/g,
    ),
  ]
  const verb = figures[0]?.[2]
  const own = figures.find(([, name]) => name === named)
  if (!own || figures.length < 2 || figures.some(([, , other]) => other !== verb)) return undefined
  const values = figures.map(([, , , value = '']) => number(value))
  const best = least.test(degree) ? Math.min(...values) : Math.max(...values)
  // A high rate is fast and a low one slow, so that only what costs or takes is told.
  if (/fast|slow/i.test(degree) && !/^t[ao]k|^need/.test(verb ?? '')) return undefined
  return number(own[3] ?? '') === best ? undefined : `${named} is not the ${degree}.`
}

/** Words of somebody who leaves no doubt where there is some. */
const surest =
  /\b(?:guaranteed(?:\s+(?:to|returns?|profits?|win|income|gains?)|(?=\s*[.,;:!)]|$))|(?:is|are)\s+guaranteed|risk[- ]?free(?!\s+(?:rate|asset|bond|benchmark|return\s+of))|zero\s+(?:risk|downside)|no\s+(?:risk(?:\s+(?:of|at\s+all|in|here|involved|whatsoever)|(?=\s*[.,;!)]|$))|downside|way\s+(?:to|it\s+can|this\s+can|we\s+can)\s+(?:lose|fail)|chance\s+(?:of\s+(?:loss|failure|losing)|(?:it|this|that)\s+(?:fails|goes\s+wrong))|possible\s+downside)|(?:cannot|can't|can\s+not|could\s+never|can\s+never|will\s+never|won't\s+ever|never)\s+(?:fail|fails|lose|loses|fall|falls|drop|drops|crash|crashes|go\s+(?:down|wrong|bankrupt|to\s+zero)|be\s+wrong|be\s+exploited|be\s+hacked|default|miss)|100\s?%\s+(?:certain(?:ty)?|sure|safe|guaranteed|accurate|effective|success|secure|confident|confidence|proven)|always\s+(?:wins?|goes\s+up|rises?|recovers?|pays\s+off|works|profitable|increases?)|only\s+(?:go|goes)\s+up|insider\s+(?:info\w*|tip)|sure\s+(?:thing|bet|win)|no-?brainer|fool-?proof|bullet-?proof|fail-?safe\s+investment|once[- ]in[- ]a[- ]lifetime|to\s+the\s+moon|(?:put|invest|bet|move)\s+(?:\w+\s+){0,2}(?:everything|all\s+(?:our|your|my|the|of)\b[^.!?]{0,30})\s*(?:in|into|on)\b|(?:certain|bound)\s+to\s+(?:rise|double|win|succeed|grow|go\s+up|happen|work)|no\s+need\s+(?:to\s+(?:patch|test|verify|check|validate|hedge|diversify|consult|see\s+a\s+doctor|investigate|worry)|for\s+(?:further|more|a|any)\s+(?:\w+\s+)?(?:tests?|checks?|review|analysis|validation|investigation|verification|study|doctor|lawyer|audit)))/i

/** Somebody says of a thing that it is safe, with figures that say the contrary. */
const calledSafe =
  /\b(?:(?:very\s+)?low\s+risk|safe(?:st)?|conservative|solid|strong\s+(?:fundamentals|balance\s+sheet)|healthy|stable|investment[- ]grade|sound)\b/i
const distress: readonly (readonly [RegExp, (value: number) => boolean])[] = [
  [/\bdebt\s?(?:\/|to)\s?ebitda\s*(?:ratio\s*)?(?:of|is|at|:|=)?\s*(\d{1,3}(?:\.\d+)?)/i, value => value > 6],
  [
    /\binterest\s+cover(?:age)?\s*(?:ratio\s*)?(?:of|is|at|:|=)?\s*(\d{1,3}(?:\.\d+)?)/i,
    value => value < 1.2,
  ],
  [
    /\b(?:default\s+(?:rate|probability)|probability\s+of\s+default)\s*(?:of|is|at|:|=)?\s*(\d{1,3}(?:\.\d+)?)\s?%/i,
    value => value >= 10,
  ],
  [
    /\b(?:max(?:imum)?\s+)?drawdown\s*(?:of|is|was|at|:|=)?\s*-?(\d{1,3}(?:\.\d+)?)\s?%/i,
    value => value >= 50,
  ],
  [/\bcurrent\s+ratio\s*(?:of|is|at|:|=)?\s*(\d{1,3}(?:\.\d+)?)/i, value => value < 0.8],
  [/\baltman\s+z(?:-score)?\s*(?:of|is|at|:|=)?\s*(\d{1,3}(?:\.\d+)?)/i, value => value < 1.8],
]

export const claimRules: readonly Rule[] = [
  wholeRule({
    id: 'claim-arithmetic',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Work the numbers out again and say how.',
    hits: [
      'Sales grew from 100 to 150, an increase of 25%.',
      '12 + 30 = 45',
      'Revenue increased from $200 to $180.',
      'Shares: 40%, 35% and 45% of the total.',
      'The invoice lists 3 × 40 = 140 EUR.',
      'Plan A costs 120 and plan B costs 95. A is the cheapest.',
      'Source: audit. 20% of 500 is 150.',
      'Costs fell from 80 to 95 (source: ledger).',
      'Total: 10 + 20 + 30 = 70 (source: table 1)',
      'Profit was 40k on revenue of 100k, a margin of 60 %.',
    ],
    misses: [
      'Sales grew from 100 to 150, an increase of 50% (source: ledger).',
      '12 + 30 = 42',
      'Plan A costs 120 and plan B costs 95. B is the cheapest.',
      'Revenue increased from $180 to $200 according to the filing.',
      'Of the total 40% is rent, 35% is wages and 25% is other (source: ledger).',
      'Source: audit. 20% of 500 is 100.',
    ],
    see(artifact) {
      if (!isClaim(artifact)) return []
      return rows(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const hits: Hit[] = []
        for (const [whole, said = '', part = '', all = ''] of text.matchAll(
          /(?<![\d.,-])(\d{1,3}(?:\.\d{1,3})?)\s?%\s[^().,;%\n]{0,30}\((\d[\d,]{0,11})\s+(?:of|out\s+of)\s+(\d[\d,]{0,11})\)/g,
        )) {
          const share = (number(part) / number(all)) * 100
          if (number(all) > 0 && share <= 100 && Math.abs(share - Number(said)) > Math.max(0.6, share * 0.02))
            hits.push({ detail: `${whole} is not so: it is ${share.toFixed(1)} %.`, place })
        }
        for (const [whole, cash = '', burn = '', months = ''] of text.matchAll(
          /\bcash\b[^\d\n]{0,20}(\d[\d.,]{0,11})\s?[km]?\b[^\n]{0,30}\bburn\w*\b[^\d\n]{0,20}(\d[\d.,]{0,11})\s?[km]?\s?(?:a|per)\s+month\b[^\n]{0,30}?(\d{1,3}(?:\.\d)?)\s+months\b/gi,
        ))
          if (
            !near(number(cash) / number(burn), number(months), 0.15) &&
            !near((number(cash) * 1000) / number(burn), number(months), 0.15)
          )
            hits.push({
              detail: `${whole.slice(0, 60)} is not so: it is ${(number(cash) / number(burn)).toFixed(1)} months.`,
              place,
            })
        for (const [whole, left = '', result = ''] of text.matchAll(
          /((?:\$?\d[\d,.]{0,12}\s*[+]\s*){1,8}\$?\d[\d,.]{0,12})\s*=\s*\$?(\d[\d,.]{0,14})/g,
        )) {
          const sum = left.split('+').reduce((sum, part) => sum + number(part.replace(/\.$/, '')), 0)
          if (!near(sum, number(result.replace(/\.$/, '')), 0.001))
            hits.push({ detail: `${whole} is not so: it is ${Number(sum.toFixed(6))}.`, place })
        }
        for (const [whole, left = '', right = '', result = ''] of text.matchAll(
          /(?<![\d.,])(\d[\d,]{0,12}(?:\.\d{1,6})?)\s?[×x*]\s?[$€£]?(\d[\d,]{0,12}(?:\.\d{1,6})?)\s*=\s*[$€£]?(\d[\d,]{0,14}(?:\.\d{1,6})?)/g,
        )) {
          const product = number(left) * number(right)
          if (!near(product, number(result), 0.005))
            hits.push({ detail: `${whole} is not so: it is ${Number(product.toFixed(6))}.`, place })
        }
        for (const [whole, up = '', from = '', to = ''] of text.matchAll(
          /\b(increas\w*|grew|grows|rose|rises|climb\w*|gain\w*|jumped|up|decreas\w*|fell|falls|dropp\w*|declin\w*|shrank|reduc\w*|down)\s+(?:\w+\s+){0,3}from\s+[$€£]?(\d[\d,]*(?:\.\d+)?)\s*\w{0,3}%?\s+to\s+[$€£]?(\d[\d,]*(?:\.\d+)?)/gi,
        )) {
          const rises = /^(?:incr|gr[eo]w|r[oi]se|climb|gain|jump|up)/i.test(up)
          const [a, b] = [number(from), number(to)]
          if ((rises && b < a) || (!rises && b > a))
            hits.push({
              detail: `It says ${up}, and the numbers say otherwise: ${whole.slice(0, 60)}`,
              place,
            })
          const percent = /(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?%/.exec(
            text.slice(text.indexOf(whole) + whole.length, text.indexOf(whole) + whole.length + 60),
          )
          if (
            percent &&
            a > 0 &&
            // Of another clause it is the share of something else.
            !/\b(?:from|to|so|while|whereas|rate|share|ratio|margin|or|and)\b|;/i.test(
              text.slice(
                text.indexOf(whole) + whole.length,
                text.indexOf(whole) + whole.length + percent.index,
              ),
            ) &&
            // Between two shares a change may be told in points, unless it is called an increase of so much.
            (!/%/.test(whole) ||
              /\b(?:increase|rise|growth|gain|jump|drop|fall|decrease|decline|reduction)\s+of\s*$/i.test(
                text.slice(
                  text.indexOf(whole) + whole.length,
                  text.indexOf(whole) + whole.length + percent.index,
                ),
              )) &&
            !near((Math.abs(b - a) / a) * 100, Number(percent[1]), 0.06) &&
            Math.abs((Math.abs(b - a) / a) * 100 - Number(percent[1])) > 1
          )
            hits.push({
              detail: `From ${from} to ${to} is ${((Math.abs(b - a) / a) * 100).toFixed(1)} %, not ${percent[1]} %.`,
              place,
            })
        }
        for (const [, share = '', whole = '', part = ''] of text.matchAll(
          /(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?%\s+of\s+[$€£]?(\d[\d,]*(?:\.\d+)?)\s+(?:is|equals|=|makes|comes\s+to)\s+[$€£]?(\d[\d,]*(?:\.\d+)?)/gi,
        ))
          if (!near((Number(share) / 100) * number(whole), number(part), 0.02))
            hits.push({
              detail: `${share} % of ${whole} is ${(Number(share) / 100) * number(whole)}, not ${part}.`,
              place,
            })
        const wrongBest = findWrongBest(text)
        if (wrongBest !== undefined) hits.push({ detail: wrongBest, place })
        const margin =
          /\b(?:profit|income|earnings)\s+(?:\w+\s+){0,3}[$€£]?(\d[\d,.]{0,12})(k|m)?\s+(?:\w+\s+)?(?:on|from|of)\s+(?:\w+\s+){0,2}(?:revenues?|sales|turnover)\s+(?:of\s+)?[$€£]?(\d[\d,.]{0,12})(k|m)?\b[^.!?]{0,40}\bmargin\s+(?:of\s+|is\s+|was\s+)?(\d{1,3}(?:\.\d+)?)\s?%/i.exec(
            text,
          )
        if (margin && margin[2]?.toLowerCase() === margin[4]?.toLowerCase()) {
          const share = (number(margin[1] ?? '') / number(margin[3] ?? '')) * 100
          if (Math.abs(share - Number(margin[5])) > 1)
            hits.push({ detail: `The margin is ${share.toFixed(1)} %, not ${margin[5]} %.`, place })
        }
        if (/\b(?:shares?|of\s+the\s+total|split|breakdown|allocation|consists?)\b/i.test(text)) {
          const shares = [...text.matchAll(/(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?%/g)].map(([, share]) =>
            Number(share),
          )
          const sum = shares.reduce((sum, share) => sum + share, 0)
          if (
            shares.length >= 3 &&
            (sum > 101.5 || (/\b(?:breakdown|allocation|consists?)\b/i.test(text) && sum < 98))
          )
            hits.push({ detail: `The shares add up to ${sum} %.`, place })
        }
        return hits
      })
    },
  }),
  wholeRule({
    id: 'claim-unsourced',
    category: 'claims',
    type: 'analysis',
    severity: 'medium',
    fix: 'Say where each number comes from.',
    hits: [
      'The market will reach $4.5 billion by 2030, growing 23% a year. 78% of firms have adopted it.',
      'Studies show that 90% of users prefer it, and 65% pay more.',
    ],
    misses: [
      'According to the 2025 audit, revenue was $4.5 million, 23% more than before.',
      'The function has 3 parameters.',
      'We measured 12 ms at p50 and 40 ms at p99 (n = 500).',
      'The meeting is at 10:30 on 5 May.',
      'Income 480,000, costs 460,000. That leaves 20,000, or 4.2%, and the rule asks for 3%.',
      'Returns were 4.1% a year from 2010 to 2018 and 1.2% afterwards; the interval includes zero.',
      'Missed visits fell from 12% to 9%; we cannot tell why.',
      'Water use (sensor data, plant office, 3 May): 2023 40 m3, 2024 50 m3, or 25 % more; the limit is 20 %.',
    ],
    see(artifact) {
      if (
        !isClaim(artifact) ||
        artifact.type === 'general' ||
        source.test(artifact.prose.replace(/\bstud(?:y|ies)\s+shows?\b/gi, '')) ||
        (grounded.test(artifact.prose) &&
          !pressing.test(artifact.prose.replace(/\b(?:not|never|nobody|no)\b[^.!?;\n]{0,40}/gi, '')))
      )
        return
      const figures = rows(artifact.prose).flatMap(
        ({ text }) =>
          text.match(
            /(?<![\d.])\d{1,12}(?:\.\d{1,6})?\s?%|[$€£]\s?\d[\d,.]{0,20}|\b\d{1,9}(?:\.\d{1,6})?x\b/gi,
          ) ?? [],
      )
      // Figures that are put before nobody's eyes as proof need no source: prices that were read, a plan's own sums.
      if (
        !pressing.test(artifact.prose) &&
        (artifact.type === 'agent_output' || worksOut.test(artifact.prose))
      )
        return
      return figures.length >= 2 && `${figures.length} figures, and not one source.`
    },
  }),
  wholeRule({
    id: 'claim-overconfident',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Say how sure it is, and what would show that it is wrong.',
    hits: [
      'This trade is guaranteed to double; it is risk-free.',
      'There is zero risk of loss.',
      'The drug cures everyone, 100% certain.',
    ],
    misses: [
      'The result is likely, with some risk.',
      'No outcome is guaranteed.',
      'The risk-free rate is 4%, source: treasury.gov.',
      'It is not guaranteed to work.',
    ],
    see(artifact) {
      if (!isClaim(artifact) && artifact.type !== 'trade' && artifact.type !== 'plan') return []
      return rows(artifact.prose || artifact.text).flatMap(({ text, place }): Hit[] => {
        const match = surest.exec(text)
        return match &&
          !/\b(?:not?|never|nothing|isn't|aren't|cannot\s+be)\s+(?:\w+\s+){0,2}$/i.test(
            text.slice(0, match.index),
          )
          ? [{ detail: `It is surer than anybody can be: ${match[0]}`, place }]
          : []
      })
    },
  }),
  wholeRule({
    id: 'claim-contrary',
    category: 'claims',
    type: 'analysis',
    severity: 'high',
    fix: 'Let the conclusion follow from the figures.',
    hits: [
      'Debt/EBITDA is 9.2, so the bond is a safe buy.',
      'A conservative strategy with a maximum drawdown of 72 %.',
      'All tests pass. (I could not run the tests; the runner was down.)',
    ],
    misses: [
      'Debt/EBITDA is 1.8; the risk looks low.',
      'The maximum drawdown was 72 %, far too much for us.',
      'I fixed it, and could not run the tests: please run them.',
      'All 41 tests pass; the linter could not be run.',
    ],
    see(artifact) {
      if (!isClaim(artifact)) return
      const text = artifact.prose.slice(0, 6000)
      if (
        /\b(?:all|every|the)\s+(?:\w+\s+){0,2}(?:tests?|checks?|builds?)\s+(?:now\s+)?(?:are\s+)?(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i.test(
          text,
        ) &&
        /\b(?:could\s+not|couldn't|unable\s+to|was\s+not\s+able\s+to|did\s+not|didn't|never|have\s+not|haven't)\s+(?:actually\s+)?(?:run|ran|execute|start)\w*\s+(?:the\s+|any\s+|them|it\b|these|those)(?:\w+\s+)?(?:tests?\b|suite|checks?\b|build\b|[.;,)])?/i.test(
          text,
        )
      )
        return 'It says that tests pass which were not run.'
      if (
        !calledSafe.test(text) ||
        /\b(?:not|too|un)\s?(?:low\s+risk|safe|healthy|stable|sound)|\bhigh\s+risk\b|\brisky\b/i.test(text)
      )
        return
      const wrong = distress.find(([pattern, isBad]) => {
        const value = pattern.exec(text)?.[1]
        return value !== undefined && isBad(Number(value))
      })
      return wrong && `It is called safe, and its figures say otherwise: ${wrong[0].exec(text)?.[0]}`
    },
  }),
  wholeRule({
    id: 'claim-unfinished',
    category: 'claims',
    type: 'agent_output',
    severity: 'medium',
    fix: 'Fill in what is missing, or say that it is not known.',
    hits: [
      'Dear [Customer Name], your refund of [AMOUNT] is on its way.',
      'As an AI language model, I cannot check that.',
      'Summary: TODO',
      'Lorem ipsum dolor sit amet.',
      'I have not run the tests, but they should pass.',
    ],
    misses: [
      'Dear Ada, your refund of 12 EUR is on its way (ref. 88).',
      'The list [1, 2, 3] is sorted.',
      'All 41 tests passed.',
      'I did not run the migration because it would drop a column.',
      'See [the guide](https://example.org).',
    ],
    see(artifact) {
      if (!isClaim(artifact) || artifact.type === 'general') return []
      return rows(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const match =
          /\[(?:insert|your|customer|client|company|name|amount|date|link|todo|tbd|placeholder)\b[^\]\n]{0,40}\](?!\()|\b(?:lorem\s+ipsum|as\s+an?\s+(?:ai|large)\s+(?:language\s+)?model|i\s+(?:cannot|can't)\s+(?:browse|access)|knowledge\s+cutoff|(?<!\bso\s+(?:i\s+)?)(?:i\s+)?(?:have\s+not|haven't|did\s+not|didn't)\s+(?:\w+\s+){0,2}(?:run\s+(?!(?:the|this|that|any|your)\s+(?:\w+\s+)?(?:migrations?|commands?|scripts?|deploy\w*|deletions?|delete|drop|destroy|push)\b)|test|verif|check)\w*|should\s+(?:probably\s+|all\s+)?(?:pass|work)(?:\s+fine)?(?=\s*[.;,)!]|\s*$)|i\s+(?:assume|guess)|TODO|TBD|FIXME)\b/i.exec(
            text,
          )
        return match ? [{ detail: `It is not finished or not checked: ${match[0]}`, place }] : []
      })
    },
  }),
  wholeRule({
    id: 'claim-personal-data',
    category: 'claims',
    type: 'agent_output',
    severity: 'high',
    fix: 'Take out what names or identifies a person.',
    hits: [
      'Her SSN is 123-45-6789.',
      'Card 4111 1111 1111 1111 exp 12/28',
      'Patient DOB 1980-02-03, diagnosis: diabetes, MRN 88123',
    ],
    misses: ['Order 4111 1111 1111 1112 shipped', 'Call 555-0100', 'The ticket number is 123-456-789.'],
    see(artifact) {
      if (artifact.prose === '') return []
      const luhn = (digits: string) => {
        const sum = [...digits].reverse().reduce((sum, digit, nth) => {
          const value = Number(digit) * (nth % 2 ? 2 : 1)
          return sum + (value > 9 ? value - 9 : value)
        }, 0)
        return sum % 10 === 0
      }
      return rows(artifact.prose).flatMap(({ text, place }): Hit[] => {
        if (
          /\b(?:ssn|social\s+security)\b[^\n]{0,20}\b\d{3}-\d{2}-\d{4}\b|(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/i.test(
            text,
          )
        )
          return [{ detail: 'It holds a social security number.', place }]
        const card =
          /(?<![\d.-])(?:4\d{3}|5[1-5]\d{2}|3[47]\d{2}|6011)[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}(?![\d.-])/.exec(
            text,
          )
        if (card && luhn(card[0].replace(/\D/g, '')))
          return [{ detail: 'It holds the number of a card.', place }]
        return /\b(?:patient|mrn|diagnos\w+)\b/i.test(text) &&
          /\b(?:dob|date\s+of\s+birth|mrn)\b[^\n]{0,12}\d/i.test(text)
          ? [{ detail: 'It holds health data of a person.', place }]
          : []
      })
    },
  }),
]
