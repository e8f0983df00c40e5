import { z } from 'zod'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { auditHeaders } from './headers/audit.ts'
import { SecurityTxtFields } from './headers/security-txt.ts'
import { TlsFields } from './headers/tls.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)
const severity = z.enum(['high', 'medium', 'low', 'info']).describe('How much it matters')
const message = z.string().describe('What it is, in a sentence')
const fix = text('What to paste or do')
const sources = z.record(z.string(), z.array(z.string())).describe('Source lists by directive')

const Finding = z.object({ code: z.string().describe('Stable code'), severity, message, fix })

export default skill({
  id: 'security-headers',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'security', 'headers'],
  keywords: ['policy', 'clickjacking', 'xss', 'tls', 'secure', 'protection'],
  openWorld: true,
  cacheSec: 120,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  title: 'Audit the security headers of a site',
  description:
    'Audits HSTS, CSP, framing, content sniffing, referrer, permissions and isolation headers, cookies, CORS, script integrity, the way from http to https, certificate and security.txt. Grades by the model of the MDN observatory; each finding has a fix to paste. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ url: AddressInput }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    final_url: z.string().describe('Where the last redirect led; this answer is audited'),
    status: z.number().int().describe('HTTP status of it'),
    https: z.boolean().describe('It comes over https'),
    grade: z.string().describe('A+ to F'),
    score: z.number().int().describe('100 and more is best, 0 is worst'),
    headers: z
      .record(
        z.string(),
        z.object({
          present: z.boolean().describe('It is sent'),
          value: text('Its value; several lines joined'),
          verdict: z.enum(['good', 'weak', 'bad', 'absent']).describe('What to think of it'),
          severity,
          message,
          fix,
        }),
      )
      .describe('Each header by lower-case name'),
    missing: z.array(z.string()).describe('Headers that should be sent and are not'),
    warnings: z.array(Finding).describe('Findings beyond these headers, worst first'),
    warning_count: z.number().int().describe('Number of warnings'),
    cookies: z
      .array(
        z.object({
          name: z.string().describe('Name'),
          host: z.string().describe('Host that sets it'),
          secure: z.boolean().describe('Secure'),
          http_only: z.boolean().describe('HttpOnly'),
          same_site: z.enum(['Strict', 'Lax', 'None']).nullable().describe('SameSite'),
          session: z.boolean().describe('Gone when the browser is closed'),
          sensitive: z.boolean().describe('Its name says login or session'),
          domain: text('Domain'),
          path: text('Path'),
          partitioned: z.boolean().describe('Partitioned'),
          problems: z.array(z.string()).describe('What is wrong with it'),
        }),
      )
      .describe('Cookies of the way, without values'),
    cookie_count: z.number().int().describe('Number of cookies'),
    csp: z
      .object({
        directives: sources,
        further: z
          .array(
            z.object({
              source: z.enum(['header', 'meta']).describe('Where it stands'),
              report_only: z.boolean().describe('It protects nothing'),
              directives: sources,
            }),
          )
          .describe('Further policies; all that are not report_only apply together'),
        problems: z
          .array(Finding.extend({ directive: text('Directive') }))
          .describe('Problems of the policies, worst first'),
      })
      .describe('Content-Security-Policy: the first enforced policy'),
    referrer_policy: text('The policy that browsers apply; null when the page sets none'),
    hsts_preload_ready: z.boolean().describe('HSTS meets the terms of the preload list'),
    hsts_preload: z
      .enum(['preloaded', 'pending', 'not_listed'])
      .nullable()
      .describe('On the preload list of browsers, by its keepers; null when they did not answer'),
    tls: TlsFields,
    security_txt: SecurityTxtFields,
    http_redirects_to_https: z.boolean().nullable().describe('null when http is closed or not known'),
    tests: z
      .object({
        passed: z.number().int().describe('Tests passed'),
        failed: z.number().int().describe('Tests failed'),
        unknown: z.number().int().describe('Tests without an answer'),
        results: z
          .array(
            z.object({
              name: z.string().describe('Test'),
              pass: z.boolean().nullable().describe('Passed; null when not known'),
              result: z.string().describe('Stable code of the result'),
              modifier: z.number().int().describe('Points; plus counts only from 90 on'),
              message,
            }),
          )
          .describe('The tests of the score'),
      })
      .describe('How the score came about'),
  }),
  needs: ['fetch', 'workers', 'tls'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ final_url: finalUrl, grade, score }) => `${finalUrl} gets ${grade} (${score}).`,
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const headerAudit = await auditHeaders(ports, url, signal)
  const { fetched, tests, findings, cookies, csp } = headerAudit
  const countTests = (pass: boolean | null) => tests.filter(test => test.pass === pass).length
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    https: fetched.url.startsWith('https:'),
    grade: headerAudit.grade,
    score: headerAudit.score,
    headers: headerAudit.headers,
    missing: headerAudit.missing,
    warnings: findings,
    warning_count: findings.length,
    cookies,
    cookie_count: cookies.length,
    csp: {
      directives: csp.directives as Record<string, string[]>,
      further: csp.further.map(({ source, reportOnly, directives }) => ({
        source,
        report_only: reportOnly,
        directives: directives as Record<string, string[]>,
      })),
      problems: csp.problems,
    },
    referrer_policy: headerAudit.referrer_policy,
    hsts_preload_ready: headerAudit.preloadReady,
    hsts_preload: headerAudit.preload,
    tls: headerAudit.tls,
    security_txt: headerAudit.security_txt,
    http_redirects_to_https: headerAudit.http_redirects_to_https,
    tests: { passed: countTests(true), failed: countTests(false), unknown: countTests(null), results: tests },
    about: { sources: [fetched.url], truncated: headerAudit.truncated, warnings: headerAudit.warnings },
  }
})
