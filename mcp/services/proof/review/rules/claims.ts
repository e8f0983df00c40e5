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
  /\b(?:source|sources|according\s+to|per\s+the|data\s+from|cited|citation|reported\s+by|survey\s+(?:of|by)|study\s+by|see\s+(?:table|figure|section|appendix|https?)|measured|benchmark(?:ed)?|we\s+(?:ran|measured|counted|observed)|audit(?:ed)?|out[- ]of[- ]sample|\d+\s+(?:trades|samples|observations|respondents|runs)|10-[KQ]|filing|dataset|n\s?=\s?\d)|https?:\/\/|\[\d{1,3}\]|\(\d{4}\)/i

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
            !/%/.test(whole) &&
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
    ],
    see(artifact) {
      if (
        !isClaim(artifact) ||
        artifact.type === 'general' ||
        source.test(artifact.prose.replace(/\bstud(?:y|ies)\s+shows?\b/gi, ''))
      )
        return
      const figures = rows(artifact.prose).flatMap(
        ({ text }) =>
          text.match(
            /(?<![\d.])\d{1,12}(?:\.\d{1,6})?\s?%|[$€£]\s?\d[\d,.]{0,20}|\b\d{1,9}(?:\.\d{1,6})?x\b/gi,
          ) ?? [],
      )
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
        const match =
          /\b(?:guaranteed\s+(?:to|returns?|profits?|win)|(?:is|are)\s+guaranteed|risk[- ]?free(?!\s+(?:rate|asset|bond|benchmark|return\s+of))|zero\s+risk|no\s+risk\s+(?:of|at\s+all|in|here|involved|whatsoever)|cannot\s+(?:fail|lose)|can't\s+(?:fail|lose)|100\s?%\s+(?:certain|sure|safe|guaranteed|accurate)|never\s+fails|always\s+wins|insider\s+(?:info\w*|tip))\b/i.exec(
            text,
          )
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
          /\[(?:insert|your|customer|client|company|name|amount|date|link|todo|tbd|placeholder)\b[^\]\n]{0,40}\](?!\()|\b(?:lorem\s+ipsum|as\s+an?\s+(?:ai|large)\s+(?:language\s+)?model|i\s+(?:cannot|can't)\s+(?:browse|access)|knowledge\s+cutoff|(?<!\bso\s+(?:i\s+)?)(?:i\s+)?(?:have\s+not|haven't|did\s+not|didn't)\s+(?:\w+\s+){0,2}(?:run\s+(?!(?:the|this|that|any|your)\s+(?:\w+\s+)?(?:migrations?|commands?|scripts?|deploy\w*|deletions?|delete|drop|destroy|push)\b)|test|verif|check)\w*|should\s+(?:probably\s+)?(?:pass|work)\s+(?:fine)?|i\s+(?:assume|guess)|TODO|TBD|FIXME)\b/i.exec(
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
