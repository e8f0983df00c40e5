import { describe, expect, test } from 'vitest'
import { codes, openTracing, to } from './redirect-trace-world.ts'
import { refused } from './run.ts'

const { internet, trace, serve, visits } = openTracing()

describe('a hop that is not taken', () => {
  test.each([
    ['http://127.0.0.1/', 'public internet'],
    ['http://[::1]/', 'public internet'],
    ['http://169.254.169.254/latest/meta-data/', 'public internet'],
    ['http://localhost/', 'public internet'],
    ['http://printer.internal/', 'public internet'],
    ['//10.0.0.1/', 'public internet'],
    ['http://example.com:22/', 'port 22'],
    ['ftp://example.com/', 'http and https'],
    ['file:///etc/passwd', 'http and https'],
    ['myapp://open?x=1', 'http and https'],
    ['javascript:alert(1)', 'http and https'],
    ['http://user:pass@example.com/', 'user name'],
  ])('to %s is shown as blocked', async (location, reason) => {
    const found = await trace(serve('/', to(location)).url)
    expect(found).toMatchObject({ count: 2, final_status: null, loop: false })
    expect(found.hops[1]).toMatchObject({ n: 2, status: null, blocked: true, error: null })
    expect(found.hops[1]?.reason).toContain(reason)
    expect(found.final_url).toBe(found.hops[1]?.url)
  })

  test('to a name that leads to a private address is blocked too', async () => {
    internet().dns.zone.set('inside.example.net', { A: ['192.168.1.1'] })
    const found = await trace(serve('/', to('http://inside.example.net/')).url)
    expect(found.hops[1]).toMatchObject({ blocked: true, status: null, ip: null })
  })

  test.each([
    ['https://expired.example.com/', 'expired'],
    ['https://self-signed.example.com/', 'self-signed'],
    ['https://no-such-name.example.net/', 'no address'],
  ])('to %s is shown with what failed', async (location, error) => {
    const found = await trace(serve('/', to(location)).url)
    expect(found).toMatchObject({ count: 2, final_url: location, final_status: null })
    expect(found.hops[1]).toMatchObject({
      blocked: false,
      status: null,
      error: expect.stringContaining(error),
    })
    expect((await trace(location)).hops).toMatchObject([{ n: 1, error: expect.stringContaining(error) }])
  })

  test('to a host that is down is shown and not kept for the next asker', async () => {
    internet().dns.zone.set('away.example.net', { A: ['93.184.216.99'] })
    const { url } = serve('/', to('http://away.example.net/'))
    expect((await trace(url)).hops[1]).toMatchObject({ error: expect.stringContaining('connection') })
    internet().dns.zone.delete('away.example.net')
    internet().web.site('away.example.net', '/', { body: 'back' })
    expect(await trace(url)).toMatchObject({ final_status: 200, meta: { cached: false } })
  })

  test('to something that is no address fails at that hop', async () => {
    const found = await trace(serve('/', to('http://[bad')).url)
    expect(found.hops).toMatchObject([{ n: 1, error: expect.stringContaining('no address') }])
  })

  test('is a refusal, or a failure to retry, when it is the first', async () => {
    const error = await refused(trace('http://127.0.0.1/'))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'url' }])
    internet().dns.zone.set('off.example.net', { A: ['93.184.216.99'] })
    expect((await refused(trace('http://off.example.net/'))).toProblem()).toMatchObject({
      code: 'upstream',
      retryable: true,
    })
  })
})

describe('the last page', () => {
  test.each([
    [301, 'no_location'],
    [307, 'no_location'],
    [300, 'multiple_choices'],
  ])('with status %i and no Location ends the trail', async (status, code) => {
    const found = await trace(serve('/', { status, body: '' }).url)
    expect(found).toMatchObject({ count: 1, final_status: status, redirect_count: 0 })
    expect(codes(found)).toEqual([code])
  })

  test('has its meta refresh noted and not followed', async () => {
    const { host, url } = serve('/', {
      body: '<noscript><meta http-equiv=refresh content="0;url=/nojs"></noscript><META HTTP-EQUIV=" Refresh" content="3; URL=\'/next\'">',
    })
    const found = await trace(url)
    expect(found).toMatchObject({
      count: 1,
      refresh: { url: `http://${host}/next`, seconds: 3, source: 'meta' },
    })
    expect(codes(found)).toEqual(['refresh'])
    expect(visits(host)).toHaveLength(1)
  })

  test('has its Refresh header noted', async () => {
    const { host, url } = serve('/', { headers: { refresh: '0;url=/next' }, body: 'wait' })
    expect(await trace(url)).toMatchObject({
      refresh: { url: `http://${host}/next`, seconds: 0, source: 'header' },
    })
  })

  test('that only reloads itself leads nowhere', async () => {
    expect(await trace(serve('/', { body: '<meta http-equiv=refresh content=30>' }).url)).toMatchObject({
      refresh: null,
    })
  })

  test.each([
    'window.location.href = "/js"',
    'location="/js"',
    "top.location = '/js'",
    'setTimeout(function(){document.location.replace("/js")},0)',
    "window.location.assign( '/js' )",
  ])('has the redirect of a script noted: %s', async code => {
    const { host, url } = serve('/', { body: `<title>Wait</title><script>${code}</script><p>One moment` })
    const found = await trace(url)
    expect(found).toMatchObject({ count: 1, script_redirect: `http://${host}/js` })
    expect(codes(found)).toEqual(['script_redirect'])
  })

  test.each([
    '<script>var location = "/js"</script>',
    '<script>if (location == "/js") go()</script>',
    '<script>my.location = "/js"</script>',
    `<script>window.location = "/js"</script><p>${'A page that people read. '.repeat(50)}`,
  ])('is not taken for a redirect by %.60s', async body => {
    expect(await trace(serve('/', { body }).url)).toMatchObject({ script_redirect: null })
  })

  test('may be endless or hostile', async () => {
    expect(await trace('http://traps.example.com/endless')).toMatchObject({ final_status: 200 })
    const nested = '<div>'.repeat(50_000)
    expect(await trace(serve('/', { body: nested }).url)).toMatchObject({ final_status: 200 })
    const spaces = `<script>location${' '.repeat(20_000)}</script>`
    expect(await trace(serve('/', { body: spaces }).url)).toMatchObject({ script_redirect: null })
  })

  test('that is a check for robots is told', async () => {
    const found = await trace(serve('/', { status: 403, headers: { 'cf-mitigated': 'challenge' } }).url)
    expect(codes(found)).toEqual(['bot_wall'])
  })
})
