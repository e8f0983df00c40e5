import { type HeaderReport, headerLines, type Lines, type Test } from '../../../lib/csp/finding.ts'
import { type CspReport, judgeCsp } from '../../../lib/csp/judge.ts'
import { parsePolicies } from '../../../lib/csp/parse.ts'
import { clean } from '../../../lib/text/clean.ts'
import { judgeFraming } from './framing.ts'
import { judgeIsolation } from './isolation.ts'
import type { MarkupFacts } from './page.ts'
import { judgePermissions } from './permissions.ts'
import { judgeReferrer } from './referrer.ts'
import { judgeHsts } from './transport.ts'
import { type HeaderVerdict, judgeHeader } from './verdict.ts'

/** The filter of old browsers, which made pages less safe: none and `0` are right. */
export const judgeXssProtection = (headers: Lines): Report => {
  const name = 'x-xss-protection'
  const value = headerLines(headers, name)[0]?.trim()
  if (value === undefined) return judgeHeader(name, 'missing').report
  return judgeHeader(name, /^0\s*(?:;|$)/.test(value) ? 'off' : 'on').report
}

/** True when browsers keep to the media type; the first value decides, in any case (Fetch standard §3.6). */
export const judgeSniffing = (headers: Lines): HeaderVerdict => {
  const name = 'x-content-type-options'
  const lines = headerLines(headers, name)
  const first = lines.join(',').split(',')[0]?.trim().toLowerCase()
  if (first === 'nosniff') return judgeHeader(name, 'on')
  return judgeHeader(name, lines.length === 0 ? 'missing' : 'invalid')
}

type Report = HeaderVerdict['report']

const cspFix =
  "Content-Security-Policy: default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

const aboutCsp = ({ test, problems }: CspReport): Report => {
  const worst = problems[0]
  if (test.result === 'missing' || test.result === 'report_only')
    return { verdict: 'absent', severity: 'high', message: test.message, fix: cspFix }
  if (test.modifier < 0)
    return { verdict: 'bad', severity: 'high', message: test.message, fix: worst?.fix ?? cspFix }
  if (worst && worst.severity !== 'info')
    return {
      verdict: 'weak',
      severity: worst.severity,
      message: `${test.message} ${worst.message}`,
      fix: worst.fix,
    }
  return { verdict: 'good', severity: 'info', message: test.message, fix: null }
}

export type HeaderReports = {
  headers: Record<string, HeaderReport>
  csp: CspReport
  referrer_policy: string | null
  preloadReady: boolean
  tests: Test[]
}

/** Judges the headers of the final answer, together with what its page says in their place. */
export const judgeHeaders = (
  lines: Lines,
  again: Lines | undefined,
  url: string,
  page: MarkupFacts | null,
  isPreloaded = false,
): HeaderReports => {
  const policies = headerLines(lines, 'content-security-policy')
  const csp = judgeCsp({
    lines: policies,
    reportOnly: headerLines(lines, 'content-security-policy-report-only'),
    meta: page?.policies ?? [],
    again: headerLines(again ?? {}, 'content-security-policy'),
  })
  const hsts = judgeHsts(lines, url, isPreloaded)
  const framing = judgeFraming(lines, parsePolicies(policies, 'header'))
  const sniffing = judgeSniffing(lines)
  const referrer = judgeReferrer(lines, page?.referrer ?? [])
  const isolation = judgeIsolation(lines)
  const reports: [string, Report][] = [
    ['content-security-policy', aboutCsp(csp)],
    ['strict-transport-security', hsts.report],
    ['x-frame-options', framing.report],
    ['x-content-type-options', sniffing.report],
    ['referrer-policy', referrer.report],
    ['permissions-policy', judgePermissions(lines).report],
    ...isolation.map(({ name, report }): [string, Report] => [name, report]),
    ['x-xss-protection', judgeXssProtection(lines)],
  ]
  const headers = reports.map(([name, report]): [string, HeaderReport] => {
    const values = headerLines(lines, name)
    return [name, { present: values.length > 0, value: clean(values.join(', '), 4000), ...report }]
  })
  return {
    headers: Object.fromEntries(headers),
    csp,
    referrer_policy: referrer.policy,
    preloadReady: hsts.preloadReady,
    tests: [
      csp.test,
      hsts.test,
      framing.test,
      sniffing.test,
      referrer.test,
      ...isolation.map(({ test }) => test),
    ],
  }
}
