import { describe, expect, test } from 'vitest'
import { codes, openTracing, to } from './redirect-trace-world.ts'

const { trace, serve, visits } = openTracing()

describe('the way', () => {
  test('is shown hop by hop, through relative, absolute and protocol-relative addresses', async () => {
    const found = await trace('http://example.com/chain/1')
    expect(found.hops).toMatchObject([
      {
        n: 1,
        url: 'http://example.com/chain/1',
        status: 301,
        status_text: 'Moved Permanently',
        location: 'http://example.com/chain/2',
        ip: '93.184.216.34',
        https: false,
        blocked: false,
        reason: null,
        error: null,
      },
      { n: 2, status: 302, location: 'http://www.example.com/chain/3' },
      { n: 3, status: 307, location: 'http://example.com/chain/4' },
      { n: 4, status: 308 },
      { n: 5, status: 303, location: 'http://example.com/' },
      { n: 6, url: 'http://example.com/', status: 200, location: null },
    ])
    expect(found).toMatchObject({
      count: 6,
      redirect_count: 5,
      final_url: 'http://example.com/',
      final_status: 200,
      loop: false,
      too_many: false,
      https_upgrade: false,
      downgrade: false,
      cross_domain: false,
      sites: ['example.com'],
      permanent: false,
      refresh: null,
      script_redirect: null,
      tracking_params: [],
      meta: { truncated: false, warnings: [] },
    })
  })

  test('is one hop where nothing redirects', async () => {
    expect(await trace('http://example.org/')).toMatchObject({
      count: 1,
      redirect_count: 0,
      permanent: null,
      final_status: 200,
    })
  })

  test('tells cookies and servers of each hop', async () => {
    const { url } = serve('/', to('/next', 302, { 'set-cookie': ['a=1', 'b=2'], server: 'nginx/1.2' }))
    expect((await trace(url)).hops).toMatchObject([
      { sets_cookie: true, server: 'nginx/1.2' },
      { sets_cookie: false, server: null, status: 404 },
    ])
  })

  test('is permanent when all of it is 301 or 308', async () => {
    const { host, url } = serve('/', to('/b', 301))
    serve('/b', to('/c', 308), host)
    expect(await trace(url)).toMatchObject({ permanent: true, final_status: 404 })
  })

  test('knows upgrades, downgrades and foreign sites', async () => {
    const { host, url } = serve('/', to('https://example.com/', 302))
    const up = await trace(url)
    expect(up).toMatchObject({ https_upgrade: true, downgrade: false, cross_domain: false })
    expect(up.hops.map(({ https }) => https)).toEqual([false, true])
    expect(codes(up)).toEqual(['temporary_upgrade'])
    serve('/down', to('http://example.org/'), host)
    expect(await trace(`https://${host}/down`)).toMatchObject({
      downgrade: true,
      https_upgrade: false,
      cross_domain: true,
      sites: ['example.com', 'example.org'],
    })
  })

  test('takes hosts of one owner under a public suffix of their own as different sites', async () => {
    const { url } = serve('/', to('http://two.github.io/'), 'one.github.io')
    serve('/', { body: 'x' }, 'two.github.io')
    expect(await trace(url)).toMatchObject({ cross_domain: true, sites: ['one.github.io', 'two.github.io'] })
  })

  test('keeps to the method that was asked for', async () => {
    const { host, url } = serve('/', (request, response) => {
      const head = request.method === 'HEAD'
      response.writeHead(head ? 405 : 302, head ? {} : { location: '/page' }).end()
    })
    const head = await trace(url, { method: 'HEAD' })
    expect(head).toMatchObject({ count: 1, final_status: 405 })
    expect(codes(head)).toEqual(['head_refused'])
    expect(await trace(url)).toMatchObject({ count: 2 })
    expect(visits(host).map(({ method }) => method)).toEqual(['HEAD', 'GET', 'GET'])
  })

  test('sends no cookies along', async () => {
    const { host, url } = serve('/', to('/b', 302, { 'set-cookie': 'a=1' }))
    await trace(url)
    expect(visits(host).map(({ headers }) => headers.cookie)).toEqual([undefined, undefined])
  })

  test('names the tracking parameters of where it ends', async () => {
    const { host, url } = serve('/', to('/p?id=1&utm_source=x&UTM_Medium=y&gclid=z'))
    expect(await trace(url)).toMatchObject({
      tracking_params: ['utm_source', 'UTM_Medium', 'gclid'],
      clean_url: `http://${host}/p?id=1`,
    })
  })

  test('does not count the fragment', async () => {
    const { url, host } = serve('/', to('/b#part'))
    const found = await trace(url)
    expect(found).toMatchObject({ final_url: `http://${host}/b`, count: 2 })
    expect(found.hops[0]).toMatchObject({ location: `http://${host}/b#part` })
  })
})

describe('circles', () => {
  test('end where they close', async () => {
    const found = await trace('http://example.com/loop/a')
    expect(found).toMatchObject({ loop: true, too_many: false, count: 2, final_status: 302 })
    expect(codes(found)).toEqual(['loop'])
  })

  test('of one page, also over a fragment, are seen', async () => {
    expect(await trace(serve('/', to('#again')).url)).toMatchObject({ loop: true, count: 1 })
  })

  test('with cookies are told apart', async () => {
    const found = await trace(serve('/', to('/', 302, { 'set-cookie': 'seen=1' })).url)
    expect(found).toMatchObject({ loop: true, count: 1 })
    expect(codes(found)).toEqual(['cookie_loop'])
  })

  test('that never come back end after ten redirects', async () => {
    const { url } = serve('*', (request, response) => {
      const n = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0)
      response.writeHead(302, { location: `/${n + 1}` }).end()
    })
    const found = await trace(url.replace('*', '/'))
    expect(found).toMatchObject({ loop: false, too_many: true, count: 11, meta: { truncated: true } })
    expect(codes(found)).toEqual(['too_many_redirects'])
  })

  test('exactly ten redirects are followed to the end', async () => {
    const { url } = serve('*', (request, response) => {
      const n = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0)
      if (n >= 10) response.writeHead(200, { 'content-type': 'text/plain' }).end('there')
      else response.writeHead(302, { location: `/${n + 1}` }).end()
    })
    expect(await trace(url.replace('*', '/0'))).toMatchObject({
      too_many: false,
      count: 11,
      redirect_count: 10,
      final_status: 200,
    })
  })
})
