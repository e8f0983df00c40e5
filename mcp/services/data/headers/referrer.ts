import { type HeaderReport, headerLines, type Lines, type Test, test } from '../../../lib/csp/finding.ts'

const name = 'referrer-policy'

const fix = 'Referrer-Policy: strict-origin-when-cross-origin'

const quiet = new Set(['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin'])
const telling = new Set(['no-referrer-when-downgrade', 'origin', 'origin-when-cross-origin', 'unsafe-url'])

/** Values of the meta element from before there was a header (HTML standard §4.2.5.1). */
const legacy: Readonly<Record<string, string>> = {
  never: 'no-referrer',
  default: 'strict-origin-when-cross-origin',
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
}

/** The last value that browsers know counts (Referrer Policy §8.1). */
const lastKnown = (lines: readonly string[]): string | undefined =>
  lines
    .flatMap(line => line.split(','))
    .map(value => value.trim().toLowerCase())
    .filter(value => quiet.has(value) || telling.has(value))
    .at(-1)

const metaPolicy = (meta: readonly string[]): string | undefined =>
  lastKnown(meta.map(value => legacy[value.trim().toLowerCase()] ?? value))

type Judgement = { report: Omit<HeaderReport, 'present' | 'value'>; test: Test; policy: string | null }

const toJudgement = (
  result: string,
  modifier: number,
  verdict: HeaderReport['verdict'],
  severity: HeaderReport['severity'],
  message: string,
  policy: string | null,
): Judgement => ({
  report: { verdict, severity, message, fix: verdict === 'good' ? null : fix },
  test: test(name, result, modifier, message),
  policy,
})

/** Judges what other sites learn of where a visitor came from; a meta element counts as the header does. */
export const judgeReferrer = (headers: Lines, meta: readonly string[]): Judgement => {
  const lines = headerLines(headers, name)
  const policy = metaPolicy(meta) ?? lastKnown(lines)
  if (policy === undefined) {
    return lines.length > 0
      ? toJudgement('invalid', -5, 'bad', 'low', 'No value is one that browsers know.', null)
      : toJudgement(
          'missing',
          0,
          'absent',
          'low',
          'Browsers apply strict-origin-when-cross-origin on their own; older ones tell more.',
          null,
        )
  }
  if (quiet.has(policy))
    return toJudgement('private', 5, 'good', 'info', `${policy} keeps addresses from other sites.`, policy)
  return toJudgement(
    'unsafe',
    -5,
    'weak',
    'low',
    `${policy} tells other sites, or plain http, more than they need.`,
    policy,
  )
}
