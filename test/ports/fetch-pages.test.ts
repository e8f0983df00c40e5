import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let fetch: Fetch

beforeAll(async () => {
  internet = await startInternet()
  fetch = internet.ports().fetch
})
afterAll(() => internet.stop())

const inNameOf = (fetch: Fetch, client: string, paid = false): Fetch => {
  const asker = { client, paid }
  return (url, options) => (fetch.forCall?.({ asker }) ?? fetch)(url, options)
}

const lastVisit = () => internet.web.visits.at(-1)

describe('a page', () => {
  test('comes with its address, status, headers, hops and text', async () => {
    const page = await fetch('http://EXAMPLE.com/#top')
    expect(page).toMatchObject({ url: 'http://example.com/', status: 200, truncated: false })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.hops).toEqual([
      {
        url: 'http://example.com/',
        status: 200,
        ms: expect.any(Number),
        headers: expect.objectContaining({ 'content-type': ['text/html; charset=utf-8'] }),
        ip: '93.184.216.34',
      },
    ])
    expect(page.text()).toMatchObject({ charset: 'utf-8', charsetSource: 'header' })
    expect(page.text().text).toContain('<title>Example Domain &amp; friends</title>')
  })

  test.each([
    'http://93.184.216.34/',
    'http://six.example.org/',
    'http://[2606:2800:220:1::34]/',
    'http://例え.jp/',
  ])('is found at %s', async url => {
    internet.web.site('93.184.216.34', '/', { body: 'by address' })
    internet.web.site('[2606:2800:220:1::34]', '/', { body: 'by address' })
    expect((await fetch(url)).status).toBe(200)
  })

  test.each([
    ['http://six.example.org/', '2606:2800:220:1::34'],
    ['http://[2606:2800:220:1::34]/', '2606:2800:220:1::34'],
    ['http://93.184.216.34/', '93.184.216.34'],
    ['https://example.com/', '93.184.216.34'],
  ])('tells who answered at %s, also on a connection that is used again', async (url, ip) => {
    expect((await fetch(url)).hops[0]?.ip).toBe(ip)
    expect((await fetch(url)).hops[0]?.ip).toBe(ip)
  })

  test('is found over TLS, with a checked certificate', async () => {
    expect((await fetch('https://example.com/')).status).toBe(200)
    expect((await fetch('https://example.org:8443/')).status).toBe(200)
  })

  test('that is missing is an answer, not a failure', async () => {
    expect(await fetch('http://example.com/nowhere')).toMatchObject({ status: 404 })
  })

  test('has repeated headers joined', async () => {
    internet.web.site('example.com', '/cookies', { headers: { 'set-cookie': ['a=1', 'b=2'] } })
    expect((await fetch('http://example.com/cookies')).headers['set-cookie']).toBe('a=1, b=2')
  })

  test('is asked for by name, politely', async () => {
    await fetch('http://example.com/', { accept: 'text/html' })
    expect(lastVisit()?.headers).toMatchObject({
      'user-agent': 'Octagent/test (+https://example.com/about)',
      accept: 'text/html',
      'accept-encoding': 'gzip, deflate, br',
    })
  })

  test('HEAD gets the headers and no body', async () => {
    const page = await fetch('http://example.com/gzip', { method: 'HEAD' })
    expect(page).toMatchObject({ status: 200, truncated: false, body: Buffer.alloc(0) })
    expect(page.headers['content-encoding']).toBe('gzip')
  })

  test('POST sends a body', async () => {
    internet.web.site('example.com', '/echo', (request, response) => request.pipe(response))
    const page = await fetch('http://example.com/echo', { method: 'POST', body: '{"a":1}' })
    expect(page.text().text).toBe('{"a":1}')
  })

  test('that answers before the body was sent is still read', async () => {
    internet.web.site('example.com', '/early', (_request, response) => response.end('early'))
    const page = await fetch('http://example.com/early', { method: 'POST', body: Buffer.alloc(2_000_000) })
    expect(page.text().text).toBe('early')
  })
})

describe('content encodings', () => {
  test.each(['gzip', 'x-gzip', 'deflate', 'raw-deflate', 'br', 'gzip-br'])('reads %s', async path => {
    const page = await fetch(`http://example.com/${path}`)
    expect(page.text().text).toBe('<title>Packed</title><p>Small on the wire.</p>')
    expect(page.truncated).toBe(false)
  })

  test('reads an empty body that claims to be gzip', async () => {
    expect(await fetch('http://example.com/empty-gzip')).toMatchObject({
      body: Buffer.alloc(0),
      truncated: false,
    })
  })
})

describe('limits', () => {
  const mebibyte = 1024 * 1024

  test('keeps 5 MiB and says that there was more', async () => {
    const page = await fetch('http://example.com/big')
    expect([page.body.length, page.truncated]).toEqual([5 * mebibyte, true])
  })

  test('keeps more when told, 20 MiB at most', async () => {
    const six = await fetch('http://example.com/big', { maxBytes: 7 * mebibyte })
    expect([six.body.length, six.truncated]).toEqual([6 * mebibyte + 7, false])
    internet.web.site('example.com', '/huge', { body: Buffer.alloc(21 * mebibyte, 'x') })
    const page = await fetch('http://example.com/huge', { maxBytes: 1e9 })
    expect([page.body.length, page.truncated]).toEqual([20 * mebibyte, true])
  })

  test('keeps what the caller wants, to the byte', async () => {
    internet.web.site('example.com', '/ten', { body: '0123456789' })
    const [nine, ten] = await Promise.all(
      [9, 10].map(maxBytes => fetch('http://example.com/ten', { maxBytes })),
    )
    expect([nine?.body.toString(), nine?.truncated]).toEqual(['012345678', true])
    expect([ten?.body.toString(), ten?.truncated]).toEqual(['0123456789', false])
  })

  test('refuses a body of another media type before reading it', async () => {
    const failure = fetch('http://example.com/big', { types: /^application\/json\b/g })
    await expect(failure).rejects.toMatchObject({
      code: 'upstream',
      message: 'example.com answered 200 with text/html, which is not what was asked for.',
      extra: { retryable: false, reason: 'other_media_type' },
    })
    const types = /^application\/json\b/g
    for (let i = 0; i < 3; i++) expect((await fetch('http://example.com/json', { types })).status).toBe(200)
  })

  test('refuses a header that would break the request', async () => {
    const failure = fetch('http://example.com/', { headers: { 'x-a': 'b\r\nx-c: d' } })
    await expect(failure).rejects.toMatchObject({
      code: 'invalid_input',
      extra: { issues: [{ path: 'headers' }] },
    })
  })

  test('keeps the headers of the connection to itself', async () => {
    await fetch('http://example.com/', {
      headers: { Host: 'evil.example.com', 'Transfer-Encoding': 'chunked' },
    })
    expect(lastVisit()).toMatchObject({ host: 'example.com' })
    expect(lastVisit()?.headers['transfer-encoding']).toBeUndefined()
  })

  test('opens as many connections to one origin and to all as it may, half of them for one network', async () => {
    const now = new Map<string, number>()
    const peaks = new Map<string, number>()
    const count = (key: string, change: number) => {
      now.set(key, (now.get(key) ?? 0) + change)
      peaks.set(key, Math.max(peaks.get(key) ?? 0, now.get(key) ?? 0))
    }
    const hosts = ['a.example.com', 'b.example.com', 'c.example.com']
    for (const host of hosts) {
      internet.web.site(host, '/slow', (_request, response) => {
        for (const key of [host, 'all']) count(key, 1)
        setTimeout(() => {
          for (const key of [host, 'all']) count(key, -1)
          response.end('done')
        }, 20)
      })
    }
    const few = internet.ports({ maxSockets: 12 }).fetch
    const askAll = (fetch: Fetch, client: string) =>
      hosts.flatMap(host =>
        Array.from({ length: 8 }, (_, nth) => fetch(`http://${host}/slow?${client}-${nth}`)),
      )
    await Promise.all(askAll(few, 'alone'))
    expect([...hosts.map(host => peaks.get(host)), peaks.get('all')]).toEqual([3, 3, 3, 6])
    peaks.clear()
    const clients = Array.from({ length: 12 }, (_, nth) => `198.51.${nth}.1`)
    await Promise.all(clients.flatMap(client => askAll(inNameOf(few, client), client)))
    expect(Math.max(...hosts.map(host => peaks.get(host) ?? 0))).toBe(6)
    expect(peaks.get('all')).toBe(12)
  })

  test('leaves room beside a client of many slow origins, also a paying one, and gets its places back when it leaves', async () => {
    const stuck = Array.from({ length: 20 }, (_, nth) => `stuck${nth}.example.com`)
    let open = 0
    for (const host of stuck)
      internet.web.site(host, '/', (_request, response) => {
        open += 1
        response.on('close', () => {
          open -= 1
        })
      })
    const few = internet.ports({ maxSockets: 8 }).fetch
    const leaving = new AbortController()
    const ask = (client: string, paid: boolean) =>
      stuck.map(host =>
        inNameOf(
          few,
          client,
          paid,
        )(`http://${host}/?${client}`, { signal: leaving.signal }).catch(error => error.code),
      )
    const waiting = [...ask('203.0.113.1', false), ...ask('203.0.113.2', false), ...ask('203.0.114.1', true)]
    await expect.poll(() => open).toBeGreaterThanOrEqual(6)
    for (const [nth, paid] of [false, true, false].entries()) {
      const other = inNameOf(few, `198.51.${nth}.7`, paid)
      expect((await other(`http://example.org/?${nth}`)).status).toBe(200)
    }
    expect(open).toBeLessThanOrEqual(7)
    leaving.abort()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['timeout']))
    await expect.poll(() => open).toBe(0)
    const again = Array.from({ length: 4 }, (_, nth) =>
      inNameOf(few, '203.0.113.1')(`http://example.org/again?${nth}`),
    )
    expect((await Promise.all(again)).map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  test('shares one origin between networks', async () => {
    const releases: (() => void)[] = []
    internet.web.site('half.example.com', '/stuck', (_request, response) => {
      releases.push(() => response.end('at last'))
    })
    internet.web.site('half.example.com', '/', { body: 'here' })
    const few = internet.ports().fetch
    const slow = Array.from({ length: 9 }, (_, nth) =>
      inNameOf(few, '203.0.113.1')(`http://half.example.com/stuck?${nth}`),
    )
    await expect.poll(() => releases.length).toBe(3)
    expect((await inNameOf(few, '198.51.100.7')('http://half.example.com/')).text().text).toBe('here')
    const release = setInterval(() => {
      for (const end of releases.splice(0)) end()
    }, 5)
    await Promise.all(slow)
    clearInterval(release)
  })

  test('lets no slow origin hold up the others', async () => {
    const releases: (() => void)[] = []
    internet.web.site('stuck.example.com', '/', (_request, response) => {
      releases.push(() => response.end('at last'))
    })
    const few = internet.ports({ maxSockets: 12 }).fetch
    const slow = Array.from({ length: 12 }, (_, nth) => few(`http://stuck.example.com/?${nth}`))
    expect((await few('http://example.org/')).status).toBe(200)
    const release = setInterval(() => {
      for (const end of releases.splice(0)) end()
    }, 5)
    const pages = await Promise.all(slow)
    clearInterval(release)
    expect(pages.map(page => page.text().text)).toEqual(Array(12).fill('at last'))
  })
})
