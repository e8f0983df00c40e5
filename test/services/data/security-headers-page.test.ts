import { describe, expect, test } from 'vitest'
import { best, codes, type Headers, openAuditing, result } from './security-headers-world.ts'

const { audit, host, internet, serve } = openAuditing('page')

describe('CORS', () => {
  const asked = (headers: (origin: string) => Headers) => {
    const name = host()
    internet().web.site(name, '/', (request, response) => {
      response.writeHead(200, headers(String(request.headers.origin ?? ''))).end('x')
    })
    return audit(`https://${name}/`)
  }

  test('that lets any origin read with its login costs 50 points', async () => {
    const found = await asked(origin =>
      origin === ''
        ? {}
        : { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' },
    )
    expect(result(found, 'cors')).toMatchObject({ result: 'any_with_credentials', modifier: -50 })
    expect(codes(found.warnings)).toContain('cors')
  })

  test('for all without a login is told and costs nothing', async () => {
    const found = await asked(() => ({ 'access-control-allow-origin': '*' }))
    expect(result(found, 'cors')).toMatchObject({ result: 'any', modifier: 0, pass: true })
  })

  test('for named origins is fine', async () => {
    const found = await asked(() => ({
      'access-control-allow-origin': 'https://example.org',
      'access-control-allow-credentials': 'true',
    }))
    expect(result(found, 'cors')).toMatchObject({ result: 'restricted' })
  })
})

describe('the page', () => {
  test('may hold the policy and the referrer policy in meta elements', async () => {
    const { 'content-security-policy': _, 'referrer-policy': __, ...rest } = best
    const found = await audit(
      serve(
        { ...rest, 'x-frame-options': 'DENY' },
        `<META HTTP-EQUIV="content-security-POLICY" content="default-src 'none'; frame-ancestors 'none'"><meta name=referrer content=never><meta http-equiv=X-Frame-Options content=DENY>`,
      ),
    )
    expect(found).toMatchObject({ referrer_policy: 'no-referrer', missing: [] })
    expect(result(found, 'content-security-policy')).toMatchObject({ result: 'default_none' })
    expect(found.headers['content-security-policy']).toMatchObject({ present: false })
    expect(codes(found.csp.problems)).toContain('ignored_in_meta')
    expect(codes(found.warnings)).toEqual(['ignored_in_meta'])
  })

  const integrity = 'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"'
  test.each([
    ['none', '', 'no_scripts', 0],
    ['its own', '<script src=/a.js></script><script src=//cdn.example.com/b.js></script>', 'own_scripts', 0],
    [
      'foreign ones, checked',
      `<script src=/a.js></script><script src="https://cdn.example.org/a.js" ${integrity} crossorigin></script>`,
      'checked',
      5,
    ],
    ['foreign ones', '<script src="https://cdn.example.org/a.js"></script>', 'unchecked', -5],
    [
      'foreign ones with a digest that is none',
      '<script src="https://cdn.example.org/a.js" integrity="md5-x" crossorigin></script>',
      'unchecked',
      -5,
    ],
    ['foreign ones without a scheme', '<script src="//cdn.example.org/a.js"></script>', 'unchecked', -5],
    [
      'foreign ones over http, checked',
      `<script src="http://cdn.example.org/a.js" ${integrity} crossorigin></script>`,
      'insecure_checked',
      -20,
    ],
    [
      'foreign ones over http',
      '<script src="http://cdn.example.org/a.js"></script>',
      'insecure_scripts',
      -50,
    ],
  ])('that loads %s is judged by their integrity', async (_, body, code, modifier) => {
    expect(result(await audit(serve({}, body)), 'subresource-integrity')).toMatchObject({
      result: code,
      modifier,
    })
  })

  test('that can be had over http loads scripts without a scheme over http', async () => {
    const found = await audit(serve({}, '<script src="//cdn.example.org/a.js"></script>', { body: 'plain' }))
    expect(result(found, 'subresource-integrity')).toMatchObject({ result: 'insecure_scripts' })
  })

  test('that no browser would let run a checked script is told', async () => {
    const found = await audit(serve({}, `<script src="https://cdn.example.org/a.js" ${integrity}></script>`))
    expect(codes(found.warnings)).toContain('integrity_without_cors')
  })

  test('of an error, or a check for robots, is audited with a warning', async () => {
    const name = host()
    internet().web.site(name, '/', { status: 503, body: 'x' })
    expect((await audit(`https://${name}/`)).meta.warnings[0]).toMatchObject({ code: 'http_error' })
    expect((await audit(serve({ 'cf-mitigated': 'challenge' }))).meta.warnings[0]).toMatchObject({
      code: 'bot_wall',
    })
  })

  test('need not be HTML', async () => {
    const found = await audit(serve({ ...best, 'content-type': 'application/json' }, '{}'))
    expect(found).toMatchObject({ grade: 'A+' })
    expect(result(found, 'subresource-integrity')).toMatchObject({ result: 'no_page' })
  })

  test('may be hostile', async () => {
    const found = await audit(serve({}, `${'<div>'.repeat(100_000)}<script src="http://x.example.org/a.js">`))
    expect(found).toMatchObject({ meta: { truncated: true } })
    expect(codes(found.meta.warnings)).toContain('page_cut')
  })
})
