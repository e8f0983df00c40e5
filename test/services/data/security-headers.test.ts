import { describe, expect, test } from 'vitest'
import type { Page } from '../../internet/web-server.ts'
import { refused } from './run.ts'
import { best, codes, openAuditing, result } from './security-headers-world.ts'

const { audit, host, internet, serve } = openAuditing('audit')

describe('the grade', () => {
  test('is A+ for a site that does it all', async () => {
    const found = await audit(serve(best))
    expect(found).toMatchObject({
      https: true,
      grade: 'A+',
      score: 155,
      missing: [],
      warnings: [],
      warning_count: 0,
      csp: { problems: [] },
      http_redirects_to_https: true,
      hsts_preload_ready: true,
      referrer_policy: 'no-referrer',
      tests: { failed: 0, unknown: 0 },
      meta: { warnings: [] },
    })
    for (const name of [
      'content-security-policy',
      'strict-transport-security',
      'x-frame-options',
      'x-content-type-options',
      'referrer-policy',
    ])
      expect(found.headers[name]).toMatchObject({ verdict: 'good', fix: null })
  })

  test('is F for a site that does nothing, and each gap has a fix', async () => {
    const found = await audit(serve({}, '<p>x', { body: 'plain' }))
    expect(found).toMatchObject({ grade: 'F', score: 10, http_redirects_to_https: false })
    expect(found.missing).toEqual([
      'content-security-policy',
      'strict-transport-security',
      'x-frame-options',
      'x-content-type-options',
      'referrer-policy',
      'permissions-policy',
    ])
    for (const name of found.missing)
      expect(found.headers[name]).toMatchObject({
        present: false,
        value: null,
        verdict: 'absent',
        fix: expect.stringContaining(':'),
      })
    expect(found.warnings).toMatchObject([
      { code: 'redirect_missing', severity: 'high', fix: expect.any(String) },
    ])
  })

  test('counts bonuses only from 90 points on', async () => {
    const { 'strict-transport-security': _, ...rest } = best
    expect(await audit(serve(rest))).toMatchObject({ score: 80, grade: 'B+' })
  })

  test('of plain http says that HSTS is ignored there', async () => {
    const name = host()
    internet().web.site(name, '/', {
      headers: { 'strict-transport-security': 'max-age=63072000' },
      body: 'x',
    })
    const found = await audit(`http://${name}/`)
    expect(found).toMatchObject({ https: false, http_redirects_to_https: false })
    expect(found.headers['strict-transport-security']).toMatchObject({ present: true, verdict: 'bad' })
    expect(result(found, 'strict-transport-security')).toMatchObject({ result: 'not_https', modifier: -20 })
  })
})

describe('the way from http', () => {
  const way = async (http: Page) => result(await audit(serve({}, 'x', http)), 'redirection')

  test('is asked once, at the same path', async () => {
    const url = serve(best)
    await audit(url)
    const visits = internet().web.visits.filter(visit => visit.host === new URL(url).hostname)
    expect(visits.map(({ headers }) => headers.origin)).toEqual(
      expect.arrayContaining([undefined, 'https://cors-probe.invalid']),
    )
    expect(visits).toHaveLength(6)
  })

  test('may lead to another host too early', async () => {
    expect(await way({ status: 301, headers: { location: 'https://example.com/' } })).toMatchObject({
      result: 'off_host',
      modifier: -5,
    })
  })

  test('may go over http once more', async () => {
    expect(await way({ status: 301, headers: { location: 'http://example.com/secure' } })).toMatchObject({
      result: 'late',
      modifier: -10,
    })
  })

  test('may stay on http', async () => {
    expect(await way({ status: 301, headers: { location: 'http://example.com/' } })).toMatchObject({
      result: 'not_to_https',
      modifier: -20,
    })
  })

  test('may end at a broken certificate', async () => {
    expect(await way({ status: 301, headers: { location: 'https://expired.example.com/' } })).toMatchObject({
      result: 'bad_certificate',
      modifier: -20,
    })
  })

  test('that fails is unknown and costs nothing', async () => {
    const found = await audit(serve({}, 'x', request => request.socket.destroy()))
    expect(result(found, 'redirection')).toMatchObject({ pass: null, modifier: 0 })
    expect(found).toMatchObject({ http_redirects_to_https: null, tests: { unknown: 1 } })
    expect(codes(found.meta.warnings)).toContain('test_unknown')
  })

  test('is the audited way itself when that begins with http', async () => {
    const url = serve(best).replace('https:', 'http:')
    const found = await audit(url)
    expect(found).toMatchObject({ grade: 'A+', https: true, http_redirects_to_https: true })
    expect(internet().web.visits.filter(visit => visit.host === new URL(url).hostname)).toHaveLength(5)
  })

  test('is not asked of another port', async () => {
    const name = host()
    internet().web.site(name, '/', { body: 'x' })
    expect(await audit(`https://${name}:8443/`)).toMatchObject({
      http_redirects_to_https: null,
      tests: { unknown: 1 },
    })
  })
})

test('shows cookies of the whole way, never their values', async () => {
  const name = host()
  internet().web.site(name, '/', {
    status: 302,
    headers: { location: '/in', 'set-cookie': 'PHPSESSID=topsecret' },
  })
  internet().web.site(name, '/in', {
    headers: { 'set-cookie': ['lang=en; Secure; SameSite=None', 'old=; Max-Age=0'] },
    body: 'x',
  })
  const found = await audit(`https://${name}/`)
  expect(found.cookies).toMatchObject([
    {
      name: 'PHPSESSID',
      host: name,
      sensitive: true,
      secure: false,
      http_only: false,
      same_site: null,
      session: true,
    },
    { name: 'lang', secure: true, same_site: 'None' },
  ])
  expect(JSON.stringify(found)).not.toContain('topsecret')
  expect(result(found, 'cookies')).toMatchObject({ result: 'session_without_secure', modifier: -40 })
  expect(found.warnings).toContainEqual({
    code: 'cookie',
    severity: 'high',
    message: expect.stringContaining('PHPSESSID'),
    fix: 'Set-Cookie: PHPSESSID=…; Path=/; Secure; HttpOnly; SameSite=Lax',
  })
})

test('finds a nonce that does not change', async () => {
  const policy =
    "script-src 'nonce-4AEemGb0xJptoIGFP3Nd12' 'strict-dynamic'; object-src 'none'; base-uri 'none'"
  const found = await audit(serve({ 'content-security-policy': policy }))
  expect(codes(found.csp.problems)).toContain('nonce_reused')
})

test('tells what the headers give away', async () => {
  const found = await audit(
    serve({
      server: 'nginx/1.18.0 (Ubuntu)',
      'x-powered-by': 'PHP/7.4.3',
      via: '1.1 10.0.3.7',
      'expect-ct': 'max-age=0',
    }),
  )
  expect(found.warnings).toEqual([
    {
      code: 'server_version',
      severity: 'low',
      message: expect.stringContaining('nginx/1.18.0'),
      fix: 'Server: nginx',
    },
    expect.objectContaining({ code: 'info_leak' }),
    expect.objectContaining({ code: 'inner_address' }),
    expect.objectContaining({ code: 'dead_header', severity: 'info' }),
  ])
  expect(codes((await audit(serve({ server: 'cloudflare' }))).warnings)).toEqual([])
})

test('refuses what is not visited and is sorry for what is down', async () => {
  expect((await refused(audit('http://10.0.0.1/'))).code).toBe('invalid_input')
  internet().dns.zone.set('down.audit.example.net', { A: ['93.184.216.99'] })
  expect((await refused(audit('https://down.audit.example.net/'))).toProblem()).toMatchObject({
    code: 'upstream',
    retryable: true,
  })
  expect((await refused(audit('https://expired.example.com/'))).message).toContain('expired')
})
