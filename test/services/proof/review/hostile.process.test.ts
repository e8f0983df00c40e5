// Costs: texts made to be slow, each read to its end.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ArtifactType, artifactTypes } from '../../../../mcp/services/proof/review/artifact-type.ts'
import { judgeText } from '../../../../mcp/services/proof/review/judge-text.ts'
import { isStress } from '../../../stress.ts'

const length = 20_000
const fill = (piece: string) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

const pieces = [
  'a',
  ' ',
  '? ',
  '[[',
  '{{',
  '\n',
  '0',
  '-',
  '/',
  '"',
  "'",
  '`',
  '\\',
  '$',
  '$(',
  '(',
  '{',
  '[',
  '<(',
  '<<E ',
  '|',
  ';',
  '&',
  '=',
  ':',
  'a=',
  'a:',
  'a: ',
  '- ',
  '*',
  '&a ',
  '*a ',
  '{a: ',
  'a.',
  '@',
  '%',
  '1,',
  '1 + ',
  '1%',
  'from 1 to ',
  'SELECT ',
  "'a' + ",
  'f"{',
  'password',
  'password = ',
  'key: ',
  'ignore all ',
  'you must ',
  'without ',
  'a@',
  'http://',
  'a://b:c',
  'abandon ',
  'eval(',
  'rm -rf / ',
  'rm -rf x\n',
  'curl x | ',
  'if ',
  'case a in ',
  '+a\n',
  '-a\n',
  '+',
  '@@ -1 +1 @@\n',
  '--- a\n+++ b\n',
  'diff --git a b\n',
  '/* ',
  '--',
  '$$',
  'WHERE ',
  'no match score 1 ',
  'will delete the production ',
  '\u200b',
  '\u{1F468}\u200D',
  '-----BEGIN ',
  'eyJ',
  'git ',
  'a;\n',
  '!',
  '#',
  '```',
  '`rm x` ',
  '[a](',
  '<!--',
  '\t',
  '\r\n',
  'é',
  '"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA." ',
  'sell 1,000,000 ',
  'stop at 1 limit 2 ',
  'A 1 M, ',
  'the page told ',
  'could not reach ',
  'all 3 failed ',
  '10:00 down ',
]

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Each piece as each type with `STRESS=1`, else as a third of them, which is another third for the next piece. */
const typesOf = (nth: number) => artifactTypes.filter((_, type) => isStress || (nth + type) % 3 === 0)

test('no text makes a review slow, whatever it is said to be', () => {
  for (const [nth, piece] of pieces.entries())
    for (const type of typesOf(nth)) {
      const text = fill(piece)
      const ms = cpuMs(() => judgeText({ type, text }))
      // A pattern that backtracks takes seconds; the limit leaves room for a machine that is slow and busy.
      expect(ms, `${JSON.stringify(piece)} as ${type}`).toBeLessThan(1500)
    }
})

/** Words, figures and signs in the order in which lists and reports have them: what is nearly a match again and again. */
const lists = [
  ...Array.from({ length: 12 }, (_, count) => `${'item one 400, item two 3,200 and '.repeat(count + 1)}none`),
  'Q1 was 1,200 and Q2 1,300 with 4 of 5 teams, up 3 % on 2,400, so it holds for 12 of 14 sites; '.repeat(8),
  '- Rent (flat 3, floor 2): 1,200\n- Food and drink for 4: 300\n- 2 trains: 44.50\n'.repeat(20),
  'all 3 of 4 users in 5 of 6 shops and 7 people who had 8 % more than 9 others which earn more so it '.repeat(
    20,
  ),
]

test('nor does a list that is nearly one with a total, or nearly a comparison', () => {
  for (const list of lists)
    for (const type of artifactTypes) {
      const ms = cpuMs(() => judgeText({ type, text: list }))
      expect(ms, `${list.slice(0, 60)} as ${type}`).toBeLessThan(1500)
    }
})

test('neither do examples of all effects, over and over', () => {
  const examples = readFileSync(new URL('acts.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  for (const example of examples.filter((_, nth) => nth % (isStress ? 8 : 24) === 0)) {
    const { type, artifact } = JSON.parse(example) as { type: ArtifactType; artifact: string }
    const text = fill(`${artifact}\n`)
    const ms = cpuMs(() => judgeText({ type, text }))
    expect(ms, text.slice(0, 60)).toBeLessThan(1500)
  }
})

const perKilobyte = (type: ArtifactType, text: string): number => {
  for (let nth = 0; nth < 5; nth++) judgeText({ type, text })
  return cpuMs(() => judgeText({ type, text })) / (text.length / 1000)
}

test('ten times the text costs about ten times as much', () => {
  const row = 'The team met on Tuesday, looked at the figures of the week and agreed on the next step.\n'
  const short = perKilobyte('plan', row.repeat(220))
  expect(perKilobyte('plan', row.repeat(2200))).toBeLessThan(Math.max(short * 3, 3))
})
