import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openAnswerCache } from '../../mcp/ports/fetch/answer-cache.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import type { Page } from '../internet/web-server.ts'

let internet: Internet
let fetch: Fetch

beforeAll(async () => {
  internet = await startInternet()
})
afterAll(() => internet.stop())
beforeEach(() => {
  fetch = internet.ports().fetch
  internet.web.visits.length = 0
})

const url = 'http://kept.example.com/page'
const serve = (page: Page) => internet.web.site('kept.example.com', '/page', page)
const lasting = { 'cache-control': 'public, max-age=60' }

describe('a page that may be kept', () => {
  test('is asked for once, and tells its age and that nobody answered', async () => {
    serve({ headers: lasting, body: 'kept' })
    const [first, second] = [await fetch(url), await fetch(url)]
    expect(internet.web.visits).toHaveLength(1)
    expect([first.hops[0]?.ip, second.hops[0]?.ip]).toEqual(['93.184.216.34', null])
    expect(second).toMatchObject({
      status: 200,
      truncated: false,
      headers: { age: expect.stringMatching(/^[0-9]$/) },
    })
    expect(second.text().text).toBe('kept')
  })

  test('is asked for again by those who want it fresh', async () => {
    serve({ headers: lasting, body: 'kept' })
    await fetch(url)
    expect((await fetch(url, { fresh: true })).hops[0]?.ip).toBe('93.184.216.34')
    expect(internet.web.visits).toHaveLength(2)
  })

  test('is asked about again with its validator where the site wants that', async () => {
    serve((request, response) => {
      if (request.headers['if-none-match'] === '"v1"')
        return void response.writeHead(304, { etag: '"v1"' }).end()
      response.writeHead(200, { etag: '"v1"', 'cache-control': 'no-cache' }).end('version one')
    })
    const pages = [await fetch(url), await fetch(url), await fetch(url)]
    expect(pages.map(page => [page.status, page.text().text])).toEqual(Array(3).fill([200, 'version one']))
    expect(internet.web.visits.map(visit => visit.headers['if-none-match'])).toEqual([
      undefined,
      '"v1"',
      '"v1"',
    ])
  })

  test('by a guess from its last change is asked about too', async () => {
    serve({ headers: { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' }, body: 'old' })
    await fetch(url)
    await fetch(url)
    expect(internet.web.visits.map(visit => visit.headers['if-modified-since'])).toEqual([
      undefined,
      'Mon, 01 Jan 2024 00:00:00 GMT',
    ])
  })

  test('in another language is another page', async () => {
    serve((request, response) => {
      response.writeHead(200, { ...lasting, vary: 'accept-language' })
      response.end(request.headers['accept-language'])
    })
    for (const language of ['de', 'fr', 'fr'])
      expect((await fetch(url, { headers: { 'accept-language': language } })).text().text).toBe(language)
    expect(internet.web.visits).toHaveLength(2)
  })

  test('and is packed is unpacked each time', async () => {
    serve({ headers: { ...lasting, 'content-encoding': 'gzip' }, body: gzipSync('packed') })
    for (let nth = 0; nth < 2; nth++) expect((await fetch(url)).text().text).toBe('packed')
    expect(internet.web.visits).toHaveLength(1)
  })

  test('is not dropped when another method asks, and is when something was posted there', async () => {
    serve({ headers: lasting, body: 'kept' })
    await fetch(url)
    await fetch(url, { method: 'HEAD' })
    await fetch(url)
    expect(internet.web.visits.map(visit => visit.method)).toEqual(['GET', 'HEAD'])
    await fetch(url, { method: 'POST', body: 'new' })
    await fetch(url)
    expect(internet.web.visits.map(visit => visit.method)).toEqual(['GET', 'HEAD', 'POST', 'GET'])
  })

  test('and redirects leads where the guard looks again', async () => {
    internet.dns.zone.set('turns.example.net', { A: ['93.184.216.34'] })
    internet.web.site('turns.example.net', '/', { body: 'outside', headers: { connection: 'close' } })
    serve({ status: 301, headers: { ...lasting, location: 'http://turns.example.net/' } })
    expect((await fetch(url)).text().text).toBe('outside')
    internet.dns.zone.set('turns.example.net', { A: ['10.0.0.1'] })
    await expect(fetch(url)).rejects.toMatchObject({ code: 'upstream', extra: { retryable: false } })
    expect(internet.web.visits.map(visit => visit.host)).toEqual(['kept.example.com', 'turns.example.net'])
  })
})

describe('a page is not kept', () => {
  const twice = async (options: Parameters<Fetch>[1] = {}) => {
    await fetch(url, options)
    await fetch(url, options)
    return internet.web.visits.length
  }

  test.each([
    ['without a word of the site', {}],
    ['that is private', { 'cache-control': 'private, max-age=60' }],
    ['that is not to be stored', { 'cache-control': 'no-store, max-age=60' }],
    ['that sets a cookie', { ...lasting, 'set-cookie': 'a=1' }],
    ['that depends on everything', { ...lasting, vary: '*' }],
  ])('%s', async (_what, headers) => {
    serve({ headers, body: 'now' })
    expect(await twice()).toBe(2)
  })

  test.each(['authorization', 'cookie', 'x-api-key', 'cache-control', 'range'])(
    'when %s is sent',
    async name => {
      serve({ headers: lasting, body: 'for you' })
      expect(await twice({ headers: { [name]: 'bytes=0-1' } })).toBe(2)
    },
  )

  test('and a kept one is not given to who sends credentials', async () => {
    serve((request, response) => {
      response.writeHead(200, lasting)
      response.end(request.headers.authorization ?? 'anybody')
    })
    await fetch(url)
    const mine = await fetch(url, { headers: { authorization: 'Bearer mine' } })
    expect(mine.text().text).toBe('Bearer mine')
    expect((await fetch(url)).text().text).toBe('anybody')
    expect(internet.web.visits).toHaveLength(2)
  })

  test('when only a part of it was read', async () => {
    serve({ headers: lasting, body: 'x'.repeat(300_000) })
    expect((await fetch(url, { maxBytes: 10 })).truncated).toBe(true)
    expect((await fetch(url)).body).toHaveLength(300_000)
    expect(internet.web.visits).toHaveLength(2)
  })

  test('when it broke off', async () => {
    serve((_request, response) => {
      response.writeHead(200, { ...lasting, 'content-length': 100 })
      response.write('half', () => response.destroy())
    })
    expect(await twice()).toBe(2)
  })
})

describe('an old answer', () => {
  test.each(['stale-while-revalidate=600', 'stale-if-error=600'])(
    'is not served, even with %s',
    async word => {
      let down = false
      serve((_request, response) => {
        if (down) return void response.writeHead(500).end('down')
        const yesterday = new Date(Date.now() - 120_000).toUTCString()
        response.writeHead(200, {
          date: yesterday,
          age: '50',
          'cache-control': `max-age=60, ${word}`,
          etag: '"a"',
        })
        response.end('yesterday')
      })
      expect((await fetch(url)).status).toBe(200)
      down = true
      expect((await fetch(url)).status).toBe(500)
    },
  )

  test('that is asked about does not outlast the caller', async () => {
    let silent = false
    serve((_request, response) => {
      if (silent) return
      response.writeHead(200, { etag: '"v1"', 'cache-control': 'no-cache' }).end('first')
    })
    await fetch(url)
    silent = true
    await expect(fetch(url, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'timeout' })
    await expect(fetch(url, { deadlineMs: 50 })).rejects.toThrow('within 0.05 seconds')
  })
})

describe('what is kept in memory', () => {
  const key = (path: string) => ({ origin: 'http://example.com', method: 'GET', path, headers: {} })
  const value = (headers: Record<string, string> = {}) => {
    const cachedAt = Date.now()
    const directives = { 'max-age': 1e9 }
    return {
      statusCode: 200,
      statusMessage: 'OK',
      headers,
      cacheControlDirectives: directives,
      cachedAt,
      staleAt: cachedAt + 1e12,
      deleteAt: cachedAt + 1e12,
    }
  }
  const keep = async (answers: ReturnType<typeof openAnswerCache>, path: string, bytes: number) => {
    const stream = answers.createWriteStream(key(path), value())
    stream?.end(Buffer.alloc(bytes))
    if (stream) await Promise.race([finished(stream).catch(() => {}), once(stream, 'close')])
  }

  test('stays within its size, and the longest unused goes first', async () => {
    const answers = openAnswerCache({ mostBytes: 10_000, mostBytesEach: 5000 })
    for (const path of ['/a', '/b', '/c']) await keep(answers, path, 3000)
    answers.get(key('/a'))
    for (let i = 0; i < 50; i++) {
      await keep(answers, `/${i}`, 3000)
      answers.get(key('/a'))
    }
    expect(answers.bytes()).toBeLessThanOrEqual(10_000)
    expect([answers.get(key('/a')), answers.get(key('/b'))]).toEqual([expect.anything(), undefined])
  })

  test('holds nothing that is too large, and counts headers', async () => {
    const answers = openAnswerCache({ mostBytes: 10_000, mostBytesEach: 5000 })
    await keep(answers, '/large', 6000)
    expect([answers.get(key('/large')), answers.bytes()]).toEqual([undefined, 0])
    answers.createWriteStream(key('/wide'), value({ 'x-wide': 'x'.repeat(6000) }))?.end(Buffer.from('x'))
    expect(answers.get(key('/wide'))).toBeUndefined()
  })

  test('is fresh for an hour at most', async () => {
    const answers = openAnswerCache()
    await keep(answers, '/', 1)
    const entry = answers.get(key('/')) as { cachedAt: number; staleAt: number }
    expect(entry.staleAt - entry.cachedAt).toBe(3_600_000)
  })
})
