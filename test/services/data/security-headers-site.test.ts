import { describe, expect, test } from 'vitest'
import { best, codes, openAuditing, result } from './security-headers-world.ts'

const { serve, audit, internet } = openAuditing('site')

const file = ['Contact: mailto:security@example.com', 'Expires: 2999-01-01T00:00:00Z'].join('\n')
const plain = { 'content-type': 'text/plain' }

describe('the TLS of a site', () => {
  test('is told with version and certificate', async () => {
    const found = await audit(serve(best))
    expect(found.tls).toMatchObject({
      protocol: 'TLSv1.3',
      certificate: {
        valid: true,
        problem: null,
        subject: 'example.com',
        issuer: 'Test internet CA',
        names: expect.arrayContaining(['*.example.com']),
        key_type: 'ec',
        days_left: expect.any(Number),
      },
    })
    expect(codes(found.warnings)).not.toContain('certificate_ends')
  })

  test('is null over http', async () => {
    internet().web.site('only-http.example.com', '/', { body: '<title>x</title>' })
    expect(await audit('http://only-http.example.com/')).toMatchObject({ tls: null, hsts_preload: null })
  })
})

describe('security.txt of a site', () => {
  const at = async (path: string, body: string, headers: Record<string, string> = plain, status = 200) => {
    const url = serve(best)
    internet().web.site(new URL(url).hostname, path, { status, headers, body })
    return (await audit(url)).security_txt as Record<string, unknown> & { warnings: { code: string }[] }
  }

  test('is read where it belongs', async () => {
    expect(await at('/.well-known/security.txt', file)).toMatchObject({
      present: true,
      valid: true,
      contacts: ['mailto:security@example.com'],
      expires: '2999-01-01T00:00:00.000Z',
      errors: [],
    })
  })

  test('is read at the old place, with a warning', async () => {
    const found = await at('/security.txt', file, { 'content-type': 'text/html' })
    expect(codes(found.warnings)).toEqual(['late_expiry', 'not_plain', 'old_place'])
  })

  test('that is wrong is a finding', async () => {
    const url = serve(best)
    internet().web.site(new URL(url).hostname, '/.well-known/security.txt', {
      headers: plain,
      body: 'Expires: soon',
    })
    expect(codes((await audit(url)).warnings)).toEqual(['security_txt_no_contact', 'security_txt_bad_expiry'])
  })

  test('is told from the page of an error, and from what cannot be known', async () => {
    expect(await at('/.well-known/security.txt', '<html>Contact: us</html>')).toMatchObject({
      present: false,
    })
    expect(await at('/.well-known/security.txt', 'x', plain, 503)).toBeNull()
  })
})

describe('the preload list', () => {
  const list = (statuses: Record<string, string>) =>
    internet().web.site('hsts.example.com', '/status', (request, response) => {
      const name = new URL(request.url ?? '', 'http://x').searchParams.get('domain') ?? ''
      response.setHeader('cache-control', 'no-store')
      response.end(JSON.stringify({ name, status: statuses[name] ?? 'unknown' }))
    })
  const { 'strict-transport-security': _, ...withoutHsts } = best

  test('is asked about the host and the domain above it, and counts as published', async () => {
    list({ 'example.com': 'preloaded' })
    const found = await audit(serve(withoutHsts))
    expect(found.hsts_preload).toBe('preloaded')
    expect(result(found, 'strict-transport-security')).toMatchObject({ result: 'preloaded', modifier: 5 })
  })

  test('on which a site is not, gives nothing', async () => {
    list({ 'example.com': 'removed' })
    const found = await audit(serve(best))
    expect(found.hsts_preload).toBe('not_listed')
    expect(result(found, 'strict-transport-security')).toMatchObject({ result: 'on', modifier: 0 })
  })

  test('that does not answer leaves it unknown', async () => {
    internet().web.site('hsts.example.com', '/status', { status: 500, body: 'x' })
    expect((await audit(serve(best))).hsts_preload).toBeNull()
    internet().web.site('hsts.example.com', '/status', { body: '<html>' })
    expect((await audit(serve(best))).hsts_preload).toBeNull()
  })
})
