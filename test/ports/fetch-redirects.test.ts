import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let fetch: Fetch

beforeAll(async () => {
  internet = await startInternet()
  fetch = internet.ports().fetch
})
afterAll(() => internet.stop())
beforeEach(() => {
  internet.web.visits.length = 0
})

const from = 'http://example.com/away'
const leadsTo = (location: string, status = 302) =>
  internet.web.site('example.com', '/away', { status, headers: { location } })

describe('follows', () => {
  test('five redirects, relative, absolute and without a scheme', async () => {
    const { url, hops, status } = await fetch('http://example.com/chain/1')
    expect([url, status]).toEqual(['http://example.com/', 200])
    expect(hops.map(hop => [hop.status, hop.url, hop.location])).toEqual([
      [301, 'http://example.com/chain/1', 'http://example.com/chain/2'],
      [302, 'http://example.com/chain/2', 'http://www.example.com/chain/3'],
      [307, 'http://www.example.com/chain/3', 'http://example.com/chain/4'],
      [308, 'http://example.com/chain/4', 'http://example.com/chain/5'],
      [303, 'http://example.com/chain/5', 'http://example.com/'],
      [200, 'http://example.com/', undefined],
    ])
  })

  test('not the sixth, unless told', async () => {
    const failure = fetch('http://example.com/chain/0')
    await expect(failure).rejects.toMatchObject({
      code: 'upstream',
      message: 'example.com redirects more than 5 times.',
      extra: { retryable: false },
    })
    expect((await fetch('http://example.com/chain/0', { maxRedirects: 6 })).hops).toHaveLength(7)
  })

  test('never more than ten', async () => {
    for (let i = 0; i < 20; i++) {
      internet.web.site('example.com', `/far/${i}`, { status: 302, headers: { location: `/far/${i + 1}` } })
    }
    await expect(fetch('http://example.com/far/0', { maxRedirects: 99 })).rejects.toThrow(
      'more than 10 times',
    )
  })

  test('none when told so, and gives the redirect itself', async () => {
    const page = await fetch('http://example.com/chain/1', { maxRedirects: 0 })
    expect(page).toMatchObject({ status: 301, url: 'http://example.com/chain/1' })
    expect(page.hops[0]?.location).toBe('http://example.com/chain/2')
    expect(internet.web.visits).toHaveLength(1)
  })

  test('from http to https', async () => {
    expect((await fetch('http://example.com/secure')).url).toBe('https://example.com/')
  })

  test('a location in plain UTF-8', async () => {
    internet.web.site('example.com', '/%C3%BC', { body: 'here' })
    internet.web.site('example.com', '/utf8', request => {
      request.socket.end('HTTP/1.1 302 Found\r\nlocation: /ü\r\ncontent-length: 0\r\n\r\n')
    })
    expect((await fetch('http://example.com/utf8')).text().text).toBe('here')
  })

  test('no circle', async () => {
    await expect(fetch('http://example.com/loop/a')).rejects.toMatchObject({
      code: 'upstream',
      message: 'example.com redirects in a circle.',
    })
  })

  test('no 304, no 300 and no redirect without a location', async () => {
    internet.web.site('example.com', '/300', { status: 300, headers: { location: '/' } })
    internet.web.site('example.com', '/bare', { status: 302 })
    expect((await fetch('http://example.com/300')).status).toBe(300)
    expect((await fetch('http://example.com/bare')).status).toBe(302)
  })
})

describe('does not follow', () => {
  test.each([
    'http://127.0.0.1/secret',
    'http://[::1]/secret',
    'http://[::ffff:127.0.0.1]/secret',
    'http://2130706433/secret',
    '//169.254.169.254/latest/meta-data/',
    'http://localhost/secret',
    'http://metadata.google.internal/',
    'http://user:secret@example.org/',
    'http://example.org:22/',
    'http://example.org:6379/',
    'file:///etc/passwd',
    'ftp://example.org/',
    'gopher://example.org/',
    'data:text/html,hello',
    'javascript:alert(1)',
    'http:\\\\127.0.0.1\\',
    `http://example.org/${'a'.repeat(2100)}`,
  ])('%s', async location => {
    leadsTo(location)
    await expect(fetch(from)).rejects.toMatchObject({
      code: 'upstream',
      message: expect.stringMatching(/^example\.com redirects to an address that is not visited: /),
      extra: { retryable: false },
    })
    expect(internet.web.visits).toHaveLength(1)
  })

  test('something that is no address', async () => {
    leadsTo('http://[oops/')
    await expect(fetch(from)).rejects.toThrow('redirects to something that is no address')
  })

  test('to a name that leads inside', async () => {
    internet.dns.zone.set('inside.example.org', { A: ['10.0.0.7'] })
    internet.web.site('inside.example.org', '/', { body: 'secret' })
    leadsTo('http://inside.example.org/')
    await expect(fetch(from)).rejects.toMatchObject({ code: 'upstream', extra: { retryable: false } })
    expect(internet.web.visits).toHaveLength(1)
  })

  test('a folded location with another header inside', async () => {
    await expect(fetch('http://traps.example.com/split-location')).rejects.toMatchObject({ code: 'upstream' })
  })
})

describe('credentials', () => {
  const secrets = {
    Authorization: 'Bearer secret',
    Cookie: 'a=1',
    'X-Api-Key': 'secret',
    'Accept-Language': 'de',
  }
  const lastHeaders = () => internet.web.visits.at(-1)?.headers ?? {}

  test('stay with the site they are for', async () => {
    leadsTo('http://example.org/')
    await fetch(from, { headers: secrets })
    expect(internet.web.visits[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-api-key': 'secret',
    })
    expect(Object.keys(lastHeaders())).not.toEqual(expect.arrayContaining(['authorization']))
    expect([lastHeaders().cookie, lastHeaders()['x-api-key'], lastHeaders()['accept-language']]).toEqual([
      undefined,
      undefined,
      'de',
    ])
  })

  test.each(['http://example.com:8080/', 'http://www.example.com/'])('do not go to %s', async location => {
    leadsTo(location)
    await fetch(from, { headers: secrets })
    expect(lastHeaders().authorization).toBeUndefined()
  })

  test('do not go from https to http', async () => {
    leadsTo('http://example.com/')
    await fetch('https://example.com/away', { headers: secrets })
    expect(lastHeaders().authorization).toBeUndefined()
  })

  test.each(['/json', 'https://example.com/json'])('go along to %s', async location => {
    leadsTo(location)
    await fetch(from, { headers: secrets })
    expect(lastHeaders().authorization).toBe('Bearer secret')
  })

  test('given by a site are not kept', async () => {
    internet.web.site('example.com', '/away', {
      status: 302,
      headers: { location: '/json', 'set-cookie': 'a=1' },
    })
    await fetch(from)
    expect(lastHeaders().cookie).toBeUndefined()
  })
})

describe('a POST that is redirected', () => {
  const post = { method: 'POST' as const, body: 'data', headers: { 'content-type': 'text/plain' } }

  test.each([301, 302, 303])('becomes GET after %i', async status => {
    leadsTo('/json', status)
    await fetch(from, post)
    expect(internet.web.visits.at(-1)).toMatchObject({ method: 'GET', path: '/json' })
    expect(internet.web.visits.at(-1)?.headers['content-type']).toBeUndefined()
  })

  test.each([307, 308])('stays POST with its body after %i', async status => {
    leadsTo('/echo', status)
    internet.web.site('example.com', '/echo', (request, response) => request.pipe(response))
    expect((await fetch(from, post)).text().text).toBe('data')
  })

  test('takes its body to no other site', async () => {
    leadsTo('http://example.org/', 307)
    await expect(fetch(from, post)).rejects.toThrow('to which the request body is not sent')
    expect(internet.web.visits).toHaveLength(1)
  })

  test('HEAD stays HEAD', async () => {
    leadsTo('/json', 303)
    await fetch(from, { method: 'HEAD' })
    expect(internet.web.visits.map(visit => visit.method)).toEqual(['HEAD', 'HEAD'])
  })
})
