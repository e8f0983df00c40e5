import { type HeaderReport, headerLines, type Lines, type Test, test } from '../../../lib/csp/finding.ts'
import { type CspReport, judgeCsp } from '../../../lib/csp/judge.ts'
import { parsePolicies } from '../../../lib/csp/parse.ts'
import { clean } from '../../../lib/text/clean.ts'
import { judgeFraming } from './framing.ts'
import { judgeIsolation } from './isolation.ts'
import type { MarkupFacts } from './page.ts'
import { judgePermissions } from './permissions.ts'
import { judgeReferrer } from './referrer.ts'
import { judgeHsts } from './transport.ts'

/** The filter of old browsers, which made pages less safe: none and `0` are right. */
export const judgeXssProtection = (headers: Lines): Report => {
  const value = headerLines(headers, 'x-xss-protection')[0]?.trim()
  if (value === undefined)
    return {
      verdict: 'good',
      severity: 'info',
      message: 'It is not sent, which is right: browsers dropped it.',
      fix: null,
    }
  if (/^0\s*(?:;|$)/.test(value))
    return {
      verdict: 'good',
      severity: 'info',
      message: 'It switches the filter of old browsers off.',
      fix: null,
    }
  return {
    verdict: 'weak',
    severity: 'low',
    message: 'The filter of old browsers can be turned against the page.',
    fix: 'X-XSS-Protection: 0',
  }
}

const fix = 'X-Content-Type-Options: nosniff'

/** True when browsers keep to the media type; the first value decides, in any case (Fetch standard §3.6). */
export const judgeSniffing = (headers: Lines): { report: Report; test: Test } => {
  const name = 'x-content-type-options'
  const lines = headerLines(headers, name)
  const first = lines.join(',').split(',')[0]?.trim().toLowerCase()
  if (first === 'nosniff') {
    const message = 'Browsers keep to the media type that is sent.'
    return {
      report: { verdict: 'good', severity: 'info', message, fix: null },
      test: test(name, 'on', 0, message),
    }
  }
  if (lines.length === 0) {
    const message = 'Browsers may guess another media type and run what is no script.'
    return {
      report: { verdict: 'absent', severity: 'medium', message, fix },
      test: test(name, 'missing', -5, message),
    }
  }
  const message = 'The value is not nosniff, so it is ignored.'
  return {
    report: { verdict: 'bad', severity: 'medium', message, fix },
    test: test(name, 'invalid', -5, message),
  }
}

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
