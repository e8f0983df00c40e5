import { describe, expect, test } from 'vitest'
import { parsePolicies } from '../../../mcp/lib/csp/parse.ts'
import { computeHeaderScore, toGrade } from '../../../mcp/services/data/headers/audit.ts'
import { readCookie } from '../../../mcp/services/data/headers/cookie.ts'
import { collectCookies, scoreCookies } from '../../../mcp/services/data/headers/cookies.ts'
import { judgeFraming } from '../../../mcp/services/data/headers/framing.ts'
import { judgeIsolation } from '../../../mcp/services/data/headers/isolation.ts'
import { judgePermissions } from '../../../mcp/services/data/headers/permissions.ts'
import { judgeReferrer } from '../../../mcp/services/data/headers/referrer.ts'
import { judgeSniffing, judgeXssProtection } from '../../../mcp/services/data/headers/reports.ts'
import { judgeHsts } from '../../../mcp/services/data/headers/transport.ts'

const site = 'https://www.example.com/'

test.each([
  [135, 'A+'],
  [100, 'A+'],
  [95, 'A'],
  [90, 'A'],
  [89, 'A-'],
  [85, 'A-'],
  [80, 'B+'],
  [75, 'B'],
  [70, 'B'],
  [65, 'B-'],
  [60, 'C+'],
  [50, 'C'],
  [45, 'C-'],
  [40, 'D+'],
  [30, 'D'],
  [25, 'D-'],
  [24, 'F'],
  [0, 'F'],
])('%i points are %s', (score, grade) => expect(toGrade(score)).toBe(grade))

test('points go no lower than 0, and bonuses count from 90 on', () => {
  const tests = (...modifiers: number[]) =>
    modifiers.map(modifier => ({ name: 'x', pass: null, result: 'x', modifier, message: '' }))
  expect(computeHeaderScore(tests(-50, -50, -20, 5))).toBe(0)
  expect(computeHeaderScore(tests(-15, 5, 5, 5))).toBe(85)
  expect(computeHeaderScore(tests(-10, 5, 5))).toBe(100)
})

describe('Strict-Transport-Security', () => {
  const hsts = (lines: string[], url = site) => judgeHsts({ 'strict-transport-security': lines }, url)
  test.each([
    ['on', 'max-age=31536000; includeSubDomains; preload', 'good'],
    ['on', 'MAX-AGE="31536000" ; INCLUDESUBDOMAINS', 'good'],
    ['on', 'max-age=15552000;', 'good'],
    ['on', 'max-age=15768000; preload', 'weak'],
    ['short', 'max-age=86400', 'weak'],
    ['off', 'max-age=0', 'bad'],
    ['invalid', 'includeSubDomains', 'bad'],
    ['invalid', 'max-age=-1', 'bad'],
    ['invalid', 'max-age=31536000; max-age=1', 'bad'],
    ['invalid', 'max-age=31536000, max-age=31536000; includeSubDomains', 'bad'],
    ['invalid', '', 'bad'],
  ])('is %s for %s', (result, line, verdict) => {
    expect(hsts([line])).toMatchObject({ test: { result }, report: { verdict } })
  })

  test('counts the first of several lines only', () => {
    expect(hsts(['max-age=0', 'max-age=31536000']).test.result).toBe('off')
  })

  test('is ready for the preload list with a year, subdomains and the word', () => {
    expect(hsts(['max-age=31536000; includeSubDomains; preload']).preloadReady).toBe(true)
    expect(hsts(['max-age=31535999; includeSubDomains; preload']).preloadReady).toBe(false)
    expect(hsts(['max-age=31536000; includeSubDomains']).preloadReady).toBe(false)
  })

  test('is not needed under a top-level domain that is preloaded, and nothing over http', () => {
    expect(judgeHsts({}, 'https://example.dev/').test).toMatchObject({ result: 'preloaded', modifier: 5 })
    expect(hsts(['max-age=31536000'], 'http://example.dev/').test.result).toBe('not_https')
  })
})

describe('X-Frame-Options', () => {
  const framing = (lines: string[], policies: string[] = []) =>
    judgeFraming({ 'x-frame-options': lines }, parsePolicies(policies, 'header')).test.result
  test.each([
    ['on', ['DENY']],
    ['on', [' sameorigin ']],
    ['on', ['SAMEORIGIN, SAMEORIGIN']],
    ['on', ['DENY', 'deny']],
    ['contradiction', ['DENY', 'SAMEORIGIN']],
    ['allow_from', ['ALLOW-FROM https://example.org/']],
    ['invalid', ['yes']],
    ['missing', []],
    ['missing', ['']],
  ])('is %s for %j', (result, lines) => expect(framing(lines)).toBe(result))

  test('counts for nothing beside frame-ancestors, which may be open', () => {
    expect(framing(['nonsense'], ["frame-ancestors 'self' https://example.org"])).toBe('frame_ancestors')
    expect(framing([], ["frame-ancestors 'none'"])).toBe('frame_ancestors')
    expect(framing(['DENY'], ['frame-ancestors *'])).toBe('open_ancestors')
    expect(framing(['DENY'], ['frame-ancestors https:', "frame-ancestors 'self'"])).toBe('frame_ancestors')
    expect(framing(['DENY'], ["default-src 'none'"])).toBe('on')
  })
})

test.each([
  ['on', ['nosniff']],
  ['on', ['NOSNIFF, other']],
  ['invalid', ['other, nosniff']],
  ['invalid', ['no-sniff']],
  ['missing', []],
])('X-Content-Type-Options is %s for %j', (result, lines) => {
  expect(judgeSniffing({ 'x-content-type-options': lines }).test.result).toBe(result)
})

test.each([
  ['private', 'strict-origin', ['unsafe-url, strict-origin'], []],
  ['private', 'no-referrer', ['no-referrer', 'something-new'], []],
  ['unsafe', 'unsafe-url', ['no-referrer', 'Unsafe-URL'], []],
  ['unsafe', 'no-referrer-when-downgrade', ['no-referrer-when-downgrade'], []],
  ['private', 'no-referrer', ['unsafe-url'], ['never']],
  ['invalid', null, ['origin-only'], []],
  ['missing', null, [], ['nonsense']],
])('Referrer-Policy is %s (%s) for %j and the page %j', (result, policy, lines, meta) => {
  expect(judgeReferrer({ 'referrer-policy': lines }, meta)).toMatchObject({ policy, test: { result } })
})

test.each([
  ['good', ['camera=(), geolocation=(self "https://a.example"), fullscreen=*']],
  ['good', ['camera=()', 'microphone=()']],
  ['weak', ['camera=*']],
  ['weak', ['microphone=(self *)']],
  ['bad', ["camera 'none'; microphone 'none'"]],
  ['bad', ['']],
  ['absent', []],
])('Permissions-Policy is %s for %j', (verdict, lines) => {
  expect(judgePermissions({ 'permissions-policy': lines }).report.verdict).toBe(verdict)
})

test.each([
  ['cross-origin-opener-policy', 'same-origin; report-to="x"', 'on'],
  ['cross-origin-opener-policy', 'same-origin-allow-popups', 'on'],
  ['cross-origin-opener-policy', 'noopener-allow-popups', 'on'],
  ['cross-origin-opener-policy', 'same-origin-plus-coep', 'invalid'],
  ['cross-origin-opener-policy', 'unsafe-none', 'open'],
  ['cross-origin-opener-policy', '"same-origin"', 'invalid'],
  ['cross-origin-embedder-policy', 'credentialless', 'on'],
  ['cross-origin-embedder-policy', 'Require-Corp', 'invalid'],
  ['cross-origin-resource-policy', 'same-site', 'on'],
  ['cross-origin-resource-policy', 'cross-origin', 'open'],
])('%s: %s is %s', (name, value, result) => {
  const found = judgeIsolation({ [name]: [value] }).find(one => one.name === name)
  expect(found?.test.result).toBe(result)
  expect(judgeIsolation({ [name]: [value, value] }).find(one => one.name === name)?.test.result).toBe(
    'invalid',
  )
})

test.each([
  ['good', []],
  ['good', ['0']],
  ['weak', ['1; mode=block']],
])('X-XSS-Protection is %s for %j', (verdict, lines) => {
  expect(judgeXssProtection({ 'x-xss-protection': lines }).verdict).toBe(verdict)
})

describe('cookies', () => {
  const score = (hsts: boolean, ...lines: string[]) =>
    scoreCookies(
      lines.flatMap(line => readCookie(line, 'example.com') ?? []),
      hsts,
    )
  test.each([
    [0, 'none', false, []],
    [5, 'good', false, ['sid=1; Secure; HttpOnly; SameSite=Lax', 'theme=x; Secure; samesite=STRICT']],
    [0, 'secure', false, ['sid=1; Secure; HttpOnly', 'theme=x; Secure']],
    [-5, 'without_secure_hsts', true, ['theme=x']],
    [-10, 'session_without_secure_hsts', true, ['session=x; HttpOnly']],
    [0, 'none', false, ['heroku-session-affinity=x']],
    [-40, 'session_without_secure', false, ['app-session-affinity=x; HttpOnly']],
    [0, 'secure', false, ['connect.sid=x; Secure', 'auth=x; Secure']],
    [-20, 'without_secure', false, ['AWSALB=x; Path=/']],
    [-20, 'without_secure', false, ['theme=x']],
    [-20, 'samesite', false, ['theme=x; Secure; SameSite=Sometimes']],
    [-20, 'samesite', false, ['csrftoken=x; Secure']],
    [-20, 'samesite', true, ['theme=x; SameSite=None']],
    [-30, 'session_without_httponly', false, ['PHPSESSID=x; Secure']],
    [-40, 'session_without_secure', false, ['JSESSIONID=x; HttpOnly', 'theme=x; Secure']],
  ])('take %i (%s, HSTS %s) for %j', (modifier, result, hsts, lines) => {
    expect(score(hsts, ...lines)).toMatchObject({ modifier, result })
  })

  test.each([
    ['__Secure-a=1', '__Secure-'],
    ['__Host-a=1; Secure; Path=/x', '__Host-'],
    ['__Host-a=1; Secure; Path=/; Domain=example.com', '__Host-'],
    ['a=1; Partitioned', 'Partitioned'],
    ['a=1; SameSite=None', 'SameSite=None'],
  ])('that browsers refuse are told: %s', (line, word) => {
    expect(
      readCookie(line, 'example.com')?.problems.some(
        text => text.startsWith(word) || text.includes(`${word} prefix`),
      ),
    ).toBe(true)
  })

  test('with the right prefix are fine', () => {
    expect(readCookie('__Host-a=1; Secure; Path=/; HttpOnly; SameSite=Lax', 'example.com')?.problems).toEqual(
      [],
    )
  })

  test.each(['', '=', 'gone=; Max-Age=0', 'gone=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
    'are none in %j',
    line => {
      expect(readCookie(line, 'example.com')).toBeUndefined()
    },
  )

  test.each(['awsalb', '_ga', 'csrftoken', 'session-affinity', 'theme', 'author'])('%s is no login', name => {
    expect(readCookie(`${name}=1`, 'example.com')?.sensitive).toBe(false)
  })

  test.each([
    'PHPSESSID',
    'ASP.NET_SessionId',
    'laravel_session',
    'auth_token',
    'wordpress_logged_in_ab',
    'sid',
    'access.token',
  ])('%s is a login', name => {
    expect(readCookie(`${name}=1`, 'example.com')?.sensitive).toBe(true)
  })

  test('of a way count once each, the last of a name', () => {
    const hop = (lines: string[]) => ({
      url: site,
      status: 200,
      ms: 1,
      ip: null,
      headers: { 'set-cookie': lines },
    })
    const found = collectCookies([hop(['a=1', 'b=1']), hop(['a=2; Secure'])])
    expect(found.map(({ name, secure }) => [name, secure])).toEqual([
      ['a', true],
      ['b', false],
    ])
    expect(collectCookies([hop(Array.from({ length: 200 }, (_, i) => `c${i}=1`))])).toHaveLength(50)
  })
})
