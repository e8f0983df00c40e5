import { type HeaderReport, headerLines, type Lines, type Test, test } from '../../../lib/csp/finding.ts'
import type { CspPolicy } from '../../../lib/csp/parse.ts'

const framingFix = "Content-Security-Policy: frame-ancestors 'self'"

type Judgement = { report: Omit<HeaderReport, 'present' | 'value'>; test: Test }

const name = 'x-frame-options'

const toJudgement = (
  result: string,
  modifier: number,
  verdict: HeaderReport['verdict'],
  severity: HeaderReport['severity'],
  message: string,
): Judgement => ({
  report: { verdict, severity, message, fix: verdict === 'good' ? null : framingFix },
  test: test(name, result, modifier, message),
})

const anybody = /^(?:\*|https?:|https?:\/\/\*\/?)$/i

/** The values as browsers read them: all lines together, split at commas (HTML standard §7.8). */
const readValues = (headers: Lines): string[] => [
  ...new Set(
    headerLines(headers, name)
      .flatMap(line => line.split(','))
      .map(value => value.trim().toLowerCase())
      .filter(value => value !== ''),
  ),
]

const byPolicy = (lists: readonly (readonly string[])[]): Judgement => {
  if (lists.every(list => list.some(source => anybody.test(source))))
    return toJudgement(
      'open_ancestors',
      -20,
      'bad',
      'high',
      'frame-ancestors lets anybody frame the page, and this header is ignored beside it.',
    )
  return toJudgement(
    'frame_ancestors',
    5,
    'good',
    'info',
    'frame-ancestors says who may frame the page; it counts before this header.',
  )
}

/** Judges who may frame the page. `frame-ancestors` of a header policy counts before X-Frame-Options. */
export const judgeFraming = (headers: Lines, enforcedPolicies: readonly CspPolicy[]): Judgement => {
  const lists = enforcedPolicies.flatMap(({ source, directives }) =>
    source === 'header' && directives['frame-ancestors'] ? [directives['frame-ancestors']] : [],
  )
  if (lists.length > 0) return byPolicy(lists)
  const values = readValues(headers)
  const [value] = values
  if (value === undefined)
    return toJudgement('missing', -20, 'absent', 'medium', 'Anybody may show the page in a frame.')
  if (values.length > 1)
    return values.some(one => one === 'deny' || one === 'sameorigin' || one === 'allowall')
      ? toJudgement(
          'contradiction',
          0,
          'weak',
          'low',
          'Several values contradict each other; browsers refuse all frames.',
        )
      : toJudgement(
          'invalid',
          -20,
          'bad',
          'medium',
          'The values are none that browsers know, so they are ignored.',
        )
  if (value === 'deny' || value === 'sameorigin')
    return toJudgement('on', 5, 'good', 'info', 'Other sites cannot show the page in a frame.')
  if (value.startsWith('allow-from'))
    return toJudgement(
      'allow_from',
      -20,
      'bad',
      'medium',
      'Browsers ignore ALLOW-FROM: anybody may show the page in a frame.',
    )
  return toJudgement(
    'invalid',
    -20,
    'bad',
    'medium',
    'The value is none that browsers know, so it is ignored.',
  )
}
