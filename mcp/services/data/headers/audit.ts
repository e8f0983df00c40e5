import { isIP } from 'node:net'
import type { CspFinding, Test } from '../../../lib/csp/finding.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Note } from '../meta.ts'
import { aboutCookies, collectCookies, scoreCookies } from './cookies.ts'
import { judgeCors } from './cors.ts'
import { leakFindings } from './information-leaks.ts'
import { judgeIntegrity } from './integrity.ts'
import { open } from './open.ts'
import { type MarkupFacts, safety } from './page.ts'
import { askFromElsewhere, askHttp, toHttpUrl } from './probe.ts'
import { type HttpProbe, judgeRedirection, type Redirection } from './redirection.ts'
import { judgeHeaders } from './reports.ts'
import { findSecurityTxt, securityTxtFindings } from './security-txt.ts'
import { readTls, tlsFindings } from './tls.ts'

const grades = [
  [100, 'A+'],
  [90, 'A'],
  [85, 'A-'],
  [80, 'B+'],
  [70, 'B'],
  [65, 'B-'],
  [60, 'C+'],
  [50, 'C'],
  [45, 'C-'],
  [40, 'D+'],
  [30, 'D'],
  [25, 'D-'],
] as const

export const toGrade = (score: number): string => grades.find(([minScore]) => score >= minScore)?.[1] ?? 'F'

/** The score that the MDN observatory would give: 100 less what tests take; what they add counts from 90 on only. */
export const computeHeaderScore = (tests: readonly Test[]): number => {
  const sum = (some: readonly Test[]) => some.reduce((total, { modifier }) => total + modifier, 0)
  const base = 100 + sum(tests.filter(({ modifier }) => modifier < 0))
  const bonus = base >= 90 ? sum(tests.filter(({ modifier }) => modifier > 0)) : 0
  return Math.max(0, base + bonus)
}

const limits = { maxBytes: 1024 * 1024, mostNodes: 60_000, maxRedirects: 10, fresh: true }
const order = { high: 0, medium: 1, low: 2, info: 3 }

const findMetaPolicies = (page: MarkupFacts | null): CspFinding[] =>
  [...new Set(page?.ignored)].map(name => ({
    code: 'ignored_in_meta',
    severity: 'low',
    message: `${name} has no effect in a meta element.`,
    fix: 'send it as a header',
  }))

/** The first test of https is the way from http: it is the audited way itself where that began with http. */
const httpProbe = ({ fetch }: Pick<Ports, 'fetch'>, url: string, signal: AbortSignal): Promise<HttpProbe> => {
  const http = toHttpUrl(url)
  return http === undefined ? Promise.resolve('unknown') : askHttp(fetch, http, signal)
}

const isAlwaysSecure = (url: string, { test }: Redirection): boolean =>
  url.startsWith('https:') && !['missing', 'not_to_https', 'late'].includes(test.result)

/** Names that a site should send; framing counts as said where a policy says it. */
const expectedHeaders = [
  'content-security-policy',
  'strict-transport-security',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
]

/** Audits what a site tells browsers about its safety, in at most seven requests and a look at its certificate. */
export const auditHeaders = async (
  ports: Pick<Ports, 'fetch' | 'workers' | 'tls' | 'clock'>,
  url: string,
  signal: AbortSignal,
) => {
  const startsSecure = url.startsWith('https:')
  const asking = startsSecure ? httpProbe(ports, url, signal) : undefined
  asking?.catch(() => {})
  const { fetched, page, warnings, truncated } = await open(ports, url, safety, {
    ...limits,
    signal,
    options: {},
  })
  const { origin, hostname, protocol } = new URL(fetched.url)
  const now = ports.clock.now()
  const [again, tls, securityTxt, preload] = await Promise.all([
    askFromElsewhere(ports.fetch, fetched.url, signal),
    readTls(ports.tls, fetched.url, now, signal),
    findSecurityTxt(ports.fetch, origin, now, signal),
    protocol === 'https:' && !isIP(hostname.replace(/^\[|\]$/g, ''))
      ? ports.tls.preload(hostname, { signal })
      : null,
  ])
  const probe: HttpProbe = asking ? await asking : { hops: fetched.hops }
  const lines = fetched.hops.at(-1)?.headers ?? {}

  const {
    headers,
    csp,
    tests: headerTests,
    ...verdicts
  } = judgeHeaders(lines, again, fetched.url, page, preload === 'preloaded')
  const hsts = headerTests.some(
    ({ name, result }) => name === 'strict-transport-security' && (result === 'on' || result === 'preloaded'),
  )
  const cookies = collectCookies(fetched.hops)
  const redirection = judgeRedirection(probe)
  const cors = judgeCors(again)
  const integrity = judgeIntegrity(
    page?.scripts ?? null,
    fetched.url,
    isAlwaysSecure(fetched.url, redirection),
  )
  const tests = [...headerTests, redirection.test, scoreCookies(cookies, hsts), cors.test, integrity.test]
  const findings = [
    ...redirection.findings,
    ...aboutCookies(cookies),
    ...cors.findings,
    ...integrity.findings,
    ...findMetaPolicies(page),
    ...leakFindings(lines),
    ...tlsFindings(tls),
    ...securityTxtFindings(securityTxt),
  ].sort((a, b) => order[a.severity] - order[b.severity])
  const score = computeHeaderScore(tests)
  const notes: Note[] = tests
    .filter(({ pass }) => pass === null)
    .map(({ name, message }) => ({ code: 'test_unknown', message: `${name}: ${message} It was not scored.` }))
  return {
    fetched,
    headers,
    csp,
    ...verdicts,
    cookies,
    tests,
    findings,
    tls,
    security_txt: securityTxt,
    preload,
    score,
    grade: toGrade(score),
    missing: expectedHeaders.filter(
      name => headers[name]?.verdict === 'absent' && headers[name]?.present === false,
    ),
    http_redirects_to_https: redirection.redirects,
    warnings: [...warnings, ...notes],
    truncated,
  }
}
