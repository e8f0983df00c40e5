import { describe, expect, test } from 'vitest'
import { html, openHosts, status } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
type Entry = { url: string; status: number | null; reason: string; [field: string]: unknown }

const check = async (url: string, more: object = {}) => {
  const found = await data.ask('broken-links', { url, ...more })
  const list = (name: string) => ([] as Entry[]).concat((found as Record<string, Entry[]>)[name] ?? [])
  return { found, list, reasons: (name: string) => list(name).map(({ reason }) => reason) }
}

const { serve: serveAt, serveAll } = openHosts(() => data.internet.web, 'links')

/** A page with some markup, on a host that no other test asks, and further routes of that host. */
const serve = (markup: string, routes: Record<string, Page> = {}) => serveAt(html(markup), routes)

const link = (href: string, text = 'here') => `<a href="${href}">${text}</a>`

const methodsAt = (url: string) => {
  const { hostname, pathname } = new URL(url)
  return data.internet.web.visits
    .filter(({ host, path }) => host === hostname && path === pathname)
    .map(({ method }) => method)
}

describe('broken-links', () => {
  test('tells broken links from good ones, with status, text and place', async () => {
    const url = serve(
      `${link('/good', 'Good')}${link('../gone', ' Gone <b>page</b> ')}<img src=/missing.png alt="A picture">`,
      { '/good': html('fine'), '/gone': status(410) },
    )
    const { found, list } = await check(url)
    const { origin } = new URL(url)
    expect(found).toMatchObject({
      url,
      status: 200,
      total: 3,
      checked: 3,
      ok: 1,
      broken_count: 2,
      not_checked: 0,
      truncated: false,
      meta: { warnings: [] },
    })
    expect(list('broken')).toMatchObject([
      { url: `${origin}/gone`, status: 410, reason: 'gone', text: 'Gone page', found_in: 'a', kind: 'page' },
      { url: `${origin}/missing.png`, status: 404, text: 'A picture', found_in: 'img', kind: 'image' },
    ])
  })

  test.each([400, 403, 404, 405, 406, 500, 501, 503])('asks with GET where HEAD gets %i', async code => {
    const site = serveAll((request, response) => {
      response.writeHead(request.method === 'HEAD' ? code : 200)
      response.end()
    })
    const { found } = await check(serve(link(`${site}/x`)))
    expect(found).toMatchObject({ ok: 1, broken_count: 0, blocked_count: 0 })
    expect(methodsAt(`${site}/x`)).toEqual(['HEAD', 'GET'])
  })

  test('asks with GET where HEAD breaks the connection or redirects in a circle', async () => {
    const breaks = serveAll((request, response) => {
      if (request.method === 'HEAD') return void request.socket.destroy()
      response.end('fine')
    })
    const circles = serveAll((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 302 : 200, { location: '/x' })
      response.end()
    })
    const { found } = await check(serve(link(`${breaks}/x`) + link(`${circles}/x`)))
    expect(found).toMatchObject({ ok: 2, broken_count: 0, unknown_count: 0 })
  })

  test('asks once, with HEAD, where that settles it', async () => {
    const site = serveAll(request => request.socket.destroy())
    const url = serve(link('/ok') + link('/login') + link('/gone'), {
      '/ok': html(''),
      '/login': status(401),
      '/gone': status(410),
    })
    await check(url)
    for (const path of ['/ok', '/login', '/gone'])
      expect(methodsAt(new URL(path, url).href)).toEqual(['HEAD'])
    expect(methodsAt(`${site}/x`)).toEqual([])
  })

  test.each([
    [401, 'login'],
    [402, 'payment'],
    [403, 'forbidden'],
    [407, 'login'],
    [451, 'legal'],
    [999, 'forbidden'],
  ])('counts %i as blocked, not as broken', async (code, reason) => {
    const { found, list } = await check(serve(link('/wall'), { '/wall': status(code) }))
    expect(found).toMatchObject({ broken_count: 0, blocked_count: 1, ok: 0 })
    expect(list('blocked')).toMatchObject([{ status: code, reason }])
  })

  test.each([
    ['cf-mitigated', 'challenge', 403],
    ['cf-mitigated', 'challenge', 503],
    ['x-amzn-waf-action', 'challenge', 202],
  ])('counts a robot check (%s: %s, %i) as blocked', async (name, value, code) => {
    const { list } = await check(serve(link('/wall'), { '/wall': status(code, { [name]: value }) }))
    expect(list('blocked')).toMatchObject([{ status: code, reason: 'robot_check' }])
  })

  test.each([500, 502, 504, 521])('counts %i as broken when it stays', async code => {
    const { list } = await check(serve(link('/down'), { '/down': status(code) }))
    expect(list('broken')).toMatchObject([{ status: code, reason: 'server_error' }])
  })

  test('does not ask a host again that wants a long pause, and calls nothing broken', async () => {
    const site = serveAll(status(429, { 'retry-after': '120' }))
    const busy = serveAll(status(503, { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }))
    const links = [1, 2, 3, 4, 5, 6].map(n => link(`${site}/${n}`)).join('')
    const { found, list, reasons } = await check(serve(links + link(`${busy}/x`)))
    expect(found).toMatchObject({ broken_count: 0, blocked_count: 6, unknown_count: 1 })
    expect(new Set(reasons('blocked'))).toEqual(new Set(['rate_limit', 'host_limits']))
    expect(list('unknown')).toMatchObject([{ status: 503, reason: 'maintenance' }])
    const asked = data.internet.web.visits.filter(({ host }) => host === new URL(site).hostname)
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  test('waits as long as a host says and asks again', async () => {
    let asked = 0
    const site = serveAll((_request, response) => {
      response.writeHead(++asked === 1 ? 429 : 200, { 'retry-after': '1' })
      response.end()
    })
    const { found } = await check(serve(link(`${site}/x`)))
    expect(found).toMatchObject({ ok: 1, blocked_count: 0 })
    expect(methodsAt(`${site}/x`)).toEqual(['HEAD', 'GET'])
  })

  test('gives up on a host that goes on saying 429', async () => {
    const site = serveAll(status(429))
    const { found, reasons } = await check(serve([1, 2, 3, 4, 5].map(n => link(`${site}/${n}`)).join('')))
    expect(found).toMatchObject({ broken_count: 0, blocked_count: 5 })
    expect(reasons('blocked')).toContain('rate_limit')
    const asked = data.internet.web.visits.filter(({ host }) => host === new URL(site).hostname)
    expect(asked.length).toBeLessThanOrEqual(6)
  })
})

describe('broken-links', () => {
  test('shows where links are redirected, and whether for good', async () => {
    const url = serve(link('/old') + link('/mixed') + link('/app'), {
      '/old': status(301, { location: '/older' }),
      '/older': status(308, { location: 'http://example.org/' }),
      '/mixed': status(301, { location: '/short' }),
      '/short': status(302, { location: 'good' }),
      '/good': html(''),
      '/app': status(302, { location: 'market://details?id=x' }),
    })
    const { origin } = new URL(url)
    const { list, found } = await check(url)
    expect(found).toMatchObject({ ok: 2, redirected_count: 2 })
    expect(list('redirected')).toMatchObject([
      {
        url: `${origin}/old`,
        status: 301,
        final_url: 'http://example.org/',
        final_status: 200,
        permanent: true,
        redirects: 2,
      },
      { url: `${origin}/mixed`, status: 301, final_url: `${origin}/good`, permanent: false, redirects: 2 },
    ])
    expect(list('skipped')).toMatchObject([{ url: `${origin}/app`, reason: 'other_scheme' }])
  })

  test('judges redirects by where they end', async () => {
    const url = serve(link('/dead') + link('/loop') + link('/blank') + link('/cookies') + link('/private'), {
      '/dead': status(301, { location: '/nothing' }),
      '/loop': status(302, { location: '/loop' }),
      '/blank': status(302),
      '/cookies': status(302, { location: '/cookies', 'set-cookie': 'seen=1' }),
      '/private': status(302, { location: 'http://127.0.0.1/' }),
    })
    const { list, reasons } = await check(url)
    expect(list('broken')).toMatchObject([
      { reason: 'not_found', final_url: `${new URL(url).origin}/nothing` },
      { reason: 'redirect_loop' },
      { reason: 'redirect_nowhere' },
    ])
    expect(reasons('unknown')).toEqual(['needs_cookies'])
    expect(reasons('skipped')).toEqual(['not_visited'])
  })

  test('stops after ten redirects', async () => {
    const site = serveAll((request, response) => {
      response.writeHead(302, { location: `${request.url}1` })
      response.end()
    })
    expect((await check(serve(link(`${site}/x`)))).list('broken')).toMatchObject([
      { reason: 'redirect_loop' },
    ])
  })

  test('skips what is no page of the web, and private hosts', async () => {
    const url = serve(
      [
        'mailto:a@example.com',
        'tel:+3212345',
        'javascript:void(0)',
        'JaVa\nScript:x()',
        'data:text/plain,x',
        'ftp://example.com/x',
        'http://127.0.0.1/admin',
        'http://10.0.0.1/',
        'http://printer/',
        'http://user:pw@example.com/',
        'http://example.com:22/',
      ]
        .map(href => link(href))
        .join(''),
    )
    const { found, reasons } = await check(url)
    expect(found).toMatchObject({ total: 11, checked: 0, ok: 0, broken_count: 0, skipped_count: 11 })
    expect(reasons('skipped').sort()).toEqual(
      [
        'mail',
        'phone',
        'script',
        'script',
        'inline',
        'other_scheme',
        'not_visited',
        'not_visited',
        'not_visited',
        'not_visited',
        'not_visited',
      ].sort(),
    )
  })

  test('skips hosts that the DNS brings to a private address', async () => {
    data.internet.dns.zone.set('inside.example.net', { A: ['10.1.2.3'] })
    expect((await check(serve(link('http://inside.example.net/')))).reasons('skipped')).toEqual([
      'not_visited',
    ])
  })

  test('tells a host that does not exist from a DNS that does not answer', async () => {
    data.internet.dns.zone.set('mail.example.net', { MX: [{ preference: 1, exchange: 'mx.example.net' }] })
    const { list } = await check(
      serve(
        link('http://no-such-name.example.net/') +
          link('http://mail.example.net/') +
          link('http://servfail.example.org/') +
          link('http://silent.example.org/'),
      ),
    )
    expect(list('broken')).toMatchObject([
      { url: 'http://no-such-name.example.net/', status: null, reason: 'no_such_host' },
      { url: 'http://mail.example.net/', status: null, reason: 'no_such_host' },
    ])
    expect(list('unknown').map(({ url }) => url)).toEqual([
      'http://servfail.example.org/',
      'http://silent.example.org/',
    ])
  })

  test('tells certificates that browsers refuse from servers that only we cannot talk to', async () => {
    const { list } = await check(
      serve(
        ['expired', 'self-signed', 'http2'].map(host => link(`https://${host}.example.com/`)).join('') +
          link('https://wrong.example.net/'),
      ),
    )
    expect(list('broken').map(({ url, reason }) => `${reason} ${url}`)).toEqual([
      'tls https://expired.example.com/',
      'tls https://self-signed.example.com/',
      'tls https://wrong.example.net/',
    ])
    expect(list('unknown').map(({ url }) => url)).toEqual(['https://http2.example.com/'])
  })

  test('does not call an address broken whose server breaks off or talks no HTTP', async () => {
    const breaks = serveAll(request => request.socket.destroy())
    const talks = serveAll(request => void request.socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    const { found, reasons } = await check(serve(link(`${breaks}/x`) + link(`${talks}/x`)))
    expect(found).toMatchObject({ broken_count: 0, unknown_count: 2 })
    expect(reasons('unknown')).toEqual(['connection', 'connection'])
  })

  test('counts a refused connection as broken', async () => {
    data.internet.dns.zone.set('closed.example.net', { A: ['93.184.216.99'] })
    expect((await check(serve(link('http://closed.example.net/')))).list('broken')).toMatchObject([
      { status: null, reason: 'refused' },
    ])
  })

  test('calls an address that is none broken, without asking anybody', async () => {
    const { list, found } = await check(serve(link('http://')))
    expect(list('broken')).toMatchObject([{ url: 'http://', reason: 'no_address' }])
    expect(found).toMatchObject({ total: 1, checked: 0, broken_count: 1 })
  })

  test('hints at pages that say "not found" with status 200', async () => {
    const { found, list } = await check(
      serve(link('/deep/page') + link('/old/thing') + link('/soft') + link('/index.html'), {
        '/': html('home'),
        '/deep/page': status(302, { location: '/' }),
        '/index.html': status(302, { location: '/' }),
        '/old/thing': status(302, { location: '/404.html' }),
        '/404.html': html('sorry'),
        '/soft': (request, response) => {
          response.writeHead(request.method === 'HEAD' ? 405 : 200, { 'content-type': 'text/html' })
          response.end('<title>Page not found - Example</title>')
        },
      }),
    )
    expect(found).toMatchObject({ ok: 4, broken_count: 0, soft_not_found_count: 3 })
    expect(list('soft_not_found').map(({ url }) => new URL(url).pathname)).toEqual([
      '/deep/page',
      '/old/thing',
      '/soft',
    ])
  })

  test('checks fragments when it is asked to', async () => {
    const markup = `<h1 id=top-part>x</h1><a name="old">y</a><p id="caf&eacute;">z</p>`
    const url = serve(
      markup +
        ['#top-part', '#old', '#caf%C3%A9', '#', '#top', '#/route', '#:~:text=x', '#nothing']
          .map(h => link(h))
          .join('') +
        link('/other#there') +
        link('/other#not-there') +
        link('/file.pdf#page=2'),
      {
        '/other': html('<p id=there>x'),
        '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
      },
    )
    const { found, list } = await check(url, { fragments: true })
    expect(found).toMatchObject({ total: 3, ok: 3, missing_fragment_count: 2 })
    expect(list('missing_fragments')).toMatchObject([
      { url, fragment: 'nothing' },
      { url: `${new URL(url).origin}/other`, fragment: 'not-there' },
    ])
    expect((await check(url)).found).toMatchObject({ missing_fragment_count: 0 })
  })

  test('does not ask for the page itself again', async () => {
    const url = serve(link('#a') + link('') + link('/dir/page'))
    const { found } = await check(url)
    expect(found).toMatchObject({ total: 1, checked: 1, ok: 1 })
    expect(methodsAt(url)).toEqual(['GET'])
  })

  test('checks as many as the limit allows and says how many are left', async () => {
    const site = serveAll(html('fine'))
    const url = serve([1, 2, 3, 4, 5].map(n => link(`${site}/${n}`)).join(''))
    expect((await check(url, { limit: 2 })).found).toMatchObject({
      total: 5,
      checked: 2,
      ok: 2,
      not_checked: 3,
      truncated: true,
      meta: { truncated: true, warnings: [{ code: 'limit_reached' }] },
    })
    for (const limit of [0, 101]) {
      const error = await refused(data.ask('broken-links', { url, limit }))
      expect(error.toProblem().issues).toMatchObject([{ path: 'limit' }])
    }
  })

  test('names itself without the word that filters refuse', async () => {
    const url = serve(link('/x'), { '/x': html('') })
    await check(url)
    const { hostname } = new URL(url)
    const agents = data.internet.web.visits
      .filter(({ host }) => host === hostname)
      .map(({ headers }) => headers['user-agent'])
    expect(agents).toHaveLength(2)
    for (const agent of agents) expect(agent).not.toMatch(/link/i)
  })

  test.each([
    [503, {}, true],
    [429, {}, true],
    [403, { 'cf-mitigated': 'challenge' }, false],
    [403, {}, false],
  ])('audits no page that is not shown: %i', async (code, headers, retryable) => {
    const site = serveAll({ status: code, headers, body: link('/x') })
    const error = await refused(check(`${site}/`))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(retryable)
  })

  test('checks the links of a page for "not found", and warns', async () => {
    const site = serveAll({ status: 404, body: link('http://example.org/') })
    expect((await check(`${site}/`)).found).toMatchObject({
      status: 404,
      ok: 1,
      meta: { warnings: [{ code: 'http_error' }] },
    })
  })
})
