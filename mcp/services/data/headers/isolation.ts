import { type HeaderReport, headerLines, type Lines, type Test, test } from '../../../lib/csp/finding.ts'

type Rule = {
  name: string
  good: readonly string[]
  /** Values that browsers know and that isolate nothing. */
  open: readonly string[]
  purpose: string
  fix: string
}

const rules: readonly Rule[] = [
  {
    name: 'cross-origin-opener-policy',
    good: ['same-origin', 'same-origin-allow-popups', 'noopener-allow-popups'],
    open: ['unsafe-none'],
    purpose: 'keeps windows of other sites from reaching into this one',
    fix: 'Cross-Origin-Opener-Policy: same-origin',
  },
  {
    name: 'cross-origin-embedder-policy',
    good: ['require-corp', 'credentialless'],
    open: ['unsafe-none'],
    purpose: 'lets in only what other sites agree to have embedded',
    fix: 'Cross-Origin-Embedder-Policy: credentialless',
  },
  {
    name: 'cross-origin-resource-policy',
    good: ['same-origin', 'same-site'],
    open: ['cross-origin'],
    purpose: 'keeps other sites from embedding this answer',
    fix: 'Cross-Origin-Resource-Policy: same-origin',
  },
]

export type Isolation = { name: string; report: Omit<HeaderReport, 'present' | 'value'>; test: Test }

/** A token with parameters, as structured fields have it (RFC 9651 §3.3). */
const item = /^([a-z][a-z0-9-]*)(?:\s*;\s*[a-z*][a-z0-9_.*-]*(?:=(?:"[^"]*"|[A-Za-z0-9*:/_.-]+|\?[01]))?)*$/

const parseToken = (line: string): string => item.exec(line.trim())?.[1] ?? ''

const judgeOne = (headers: Lines, { name, good, open, purpose, fix }: Rule): Isolation => {
  const lines = headerLines(headers, name)
  const value = parseToken(lines[0] ?? '')
  const say = (
    result: string,
    modifier: number,
    verdict: HeaderReport['verdict'],
    severity: HeaderReport['severity'],
    message: string,
  ): Isolation => ({
    name,
    report: { verdict, severity, message, fix: verdict === 'good' ? null : fix },
    test: test(name, result, modifier, message),
  })
  if (lines.length === 0)
    return say('missing', 0, 'absent', 'info', `It ${purpose}; without it nothing does.`)
  if (lines.length > 1 || (!good.includes(value) && !open.includes(value)))
    return say('invalid', -5, 'bad', 'low', 'The value is none that browsers know, so it is ignored.')
  if (good.includes(value)) return say('on', 10, 'good', 'info', `It ${purpose}.`)
  return say('open', 0, 'weak', 'info', `${value} isolates little or nothing.`)
}

/** Cross-origin isolation, header by header. */
export const judgeIsolation = (headers: Lines): Isolation[] => rules.map(rule => judgeOne(headers, rule))
