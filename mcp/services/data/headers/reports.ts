import { type HeaderReport, headerLines, type Lines, type Test } from '../../../lib/csp/finding.ts'
import { type CspReport, judgeCsp } from '../../../lib/csp/judge.ts'
import { parsePolicies } from '../../../lib/csp/parse.ts'
import { clean } from '../../../lib/text/clean.ts'
import { judgeFraming } from './framing.ts'
import { judgeIsolation } from './isolation.ts'
import type { MarkupFacts } from './page.ts'
import { judgePermissions } from './permissions.ts'
import { judgeReferrer } from './referrer.ts'
import { judgeSniffing } from './sniffing.ts'
import { judgeHsts } from './transport.ts'
import { judgeXssProtection } from './xss.ts'

type Report = Omit<HeaderReport, 'present' | 'value'>

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
