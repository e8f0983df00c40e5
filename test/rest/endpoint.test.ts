import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../store/opened.ts'
import { fixture, hmac, picture, uploads } from './endpoint-fixture.ts'
import { raw, type Served, serve } from './server.ts'
import { dial, exchange } from './wire.ts'

let served: Served
let at = ''
beforeAll(async () => {
  served = await serve([fixture])
  at = `${served.url}/fixture`
})
afterAll(() => served.stop())
beforeEach(() => {
  uploads.kept = []
  uploads.failures = []
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
const bodyOf = async (response: Response): Promise<any> => response.json()

const sendHook = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${at}/hooks/shop?q=1&q=2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': hmac(body), ...headers },
    body,
  })

describe('a raw body', () => {
  test('comes as the bytes that were signed, with params and query', async () => {
    const body = '{ "ä" : 1,   "ä":2 }'
    const response = await sendHook(body)
    expect([response.status, response.headers.get('x-runs')]).toEqual([201, '1'])
    expect(await bodyOf(response)).toEqual({ source: 'shop', q: '1', size: Buffer.byteLength(body), runs: 1 })
    const forged = await sendHook(body, { 'x-signature': hmac(`${body} `) })
    expect([forged.status, (await bodyOf(forged)).code]).toEqual([403, 'forbidden'])
  })

  test('is refused over its limit, of another type, and when it breaks off', async () => {
    expect((await sendHook('x'.repeat(1001))).status).toBe(413)
    expect((await sendHook('x'.repeat(1000))).status).toBe(201)
    const typed = await sendHook('x', { 'content-type': 'text/html' })
    expect([typed.status, (await bodyOf(typed)).hint]).toEqual([
      415,
      'Send one of: application/json, text/plain.',
    ])
  })

  test('is answered once under an Idempotency-Key, and another body under it is a conflict', async () => {
    const key = { 'idempotency-key': 'k1' }
    const first = await sendHook('once', key)
    const again = await sendHook('once', key)
    expect(await again.text()).toBe(await first.text())
    expect([again.status, again.headers.get('x-runs')]).toEqual([201, first.headers.get('x-runs')])
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ])
    expect((await sendHook('other', key)).status).toBe(409)
  })

  test('can be what a credential signs; a tool that is called knows the same caller', async () => {
    const path = '/fixture/signed'
    const send = (body: string, signed = body) => {
      const digest = createHash('sha256').update(signed).digest('base64')
      return fetch(`${served.url}${path}`, {
        method: 'PUT',
        headers: { 'x-api-key': `ada:${hmac(`PUT ${path} ${digest}`, 'ada')}` },
        body,
      })
    }
    expect(await bodyOf(await send('hi'))).toEqual({ caller: 'fixture:ada', tool: 'fixture:ada', text: 'hi' })
    expect((await send('hi', 'ho')).status).toBe(401)
    const anonymous = await fetch(`${served.url}${path}`, { method: 'PUT', body: 'hi' })
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      401,
      'ApiKey realm="fixture"',
    ])
  })
})

describe('a body that streams', () => {
  const head = (name: string, more: string) =>
    `PUT /fixture/files/${name} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n\r\n`
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`

  test('is taken whole, in chunks or with a length', async () => {
    const said = await exchange(served.url, [
      head('a', 'Transfer-Encoding: chunked\r\nConnection: close'),
      chunk(60_000),
      chunk(40_000),
      '0\r\n\r\n',
    ])
    expect([said.status, said.headers['content-length']]).toEqual([204, undefined])
    const sized = await raw(served.url, '/fixture/files/b', { method: 'PUT', body: 'x'.repeat(100_000) })
    expect(sized.status).toBe(204)
    expect(uploads.kept).toEqual([100_000, 100_000])
  })

  test('over the limit by its length is refused before anything is read, and the connection closes', async () => {
    const said = await exchange(served.url, head('c', 'Content-Length: 100001'))
    expect([said.status, said.closed, said.headers.connection]).toEqual([413, true, 'close'])
    expect([uploads.kept, uploads.failures]).toEqual([[], []])
  })

  test('over the limit while it streams is 413, closes the connection and keeps nothing', async () => {
    const said = await exchange(served.url, [
      head('d', 'Transfer-Encoding: chunked'),
      chunk(60_000),
      chunk(40_001),
      chunk(50_000),
    ])
    expect([said.status, said.closed, said.headers.connection]).toEqual([413, true, 'close'])
    expect(JSON.parse(said.body)).toMatchObject({ code: 'too_large' })
    expect([uploads.kept, uploads.failures]).toEqual([[], ['too_large']])
  })

  test('that stalls is over with the time of its endpoint, and its handler with it', async () => {
    const said = await exchange(served.url, [head('e', 'Transfer-Encoding: chunked'), chunk(10)], 8000)
    expect([said.status, said.closed]).toEqual([504, true])
    await eventually(() => uploads.failures.length > 0)
    expect([uploads.kept, uploads.failures]).toEqual([[], ['timeout']])
  })

  test('whose client goes away is the client’s fault and keeps nothing', async () => {
    const before = served.world.records.length
    const socket = await dial(served.url)
    uploads.taken = 0
    socket.write(`${head('f', 'Content-Length: 5000')}${'x'.repeat(1000)}`)
    await eventually(() => uploads.taken === 1000)
    socket.destroy()
    await eventually(() => uploads.failures.length > 0 && served.world.records.length > before)
    expect(uploads.kept).toEqual([])
    expect(['malformed', 'timeout']).toContain(uploads.failures[0])
    expect(served.world.records.at(-1)?.code).not.toBe('internal')
  })

  test('that its handler refuses half-way is answered, and a short one keeps its connection', async () => {
    const body = 'x'.repeat(50_000)
    const request = `PUT /fixture/files/picky HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50000\r\n\r\n`
    const next = 'GET /fixture/tiles/7 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
    const socket = await dial(served.url)
    let all = ''
    socket.on('data', data => {
      all += data.toString('latin1')
    })
    socket.write(`${request}${body.slice(0, 20_000)}`)
    await eventually(() => all.includes('it is no picture'))
    socket.write(`${body.slice(20_000)}${next}`)
    await eventually(() => all.includes('image/png'))
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 422', 'HTTP/1.1 200'])
    socket.destroy()
  })
})

describe('an answer of bytes', () => {
  const get = (headers: Record<string, string> = {}, name = '1', method = 'GET') =>
    fetch(`${at}/tiles/${name}`, { headers, method })
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

  test('has its type, validator and cache header', async () => {
    const response = await get()
    expect(await bytesOf(response)).toEqual(picture)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '1000',
      'cache-control': 'public, max-age=60',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    })
    expect((await get({}, '7')).headers.get('etag')).toBe('"seven"')
  })

  test.each(['"seven"', 'W/"seven"', '"six", "seven"', '*'])('is 304 for If-None-Match: %s', async value => {
    const response = await get({ 'if-none-match': value }, '7')
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([
      304,
      '"seven"',
      '',
    ])
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  })

  test('is 304 for HEAD too, and whole for a validator of before', async () => {
    expect((await get({ 'if-none-match': '"seven"' }, '7', 'HEAD')).status).toBe(304)
    expect((await get({ 'if-none-match': '"six"' }, '7')).status).toBe(200)
  })

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=990-', 990, 999],
    ['bytes=-10', 990, 999],
    ['Bytes=5-5', 5, 5],
    ['bytes=998-5000', 998, 999],
    ['bytes=-5000', 0, 999],
  ])('is a part for Range: %s', async (range, start, end) => {
    const response = await get({ range })
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes ${start}-${end}/1000`,
    ])
    expect(await bytesOf(response)).toEqual(picture.subarray(start, end + 1))
  })

  test.each(['bytes=1000-', 'bytes=-0', `bytes=${'9'.repeat(30)}-`])(
    'has no bytes for Range: %s',
    async range => {
      const response = await get({ range })
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
      expect(await bodyOf(response)).toMatchObject({ status: 416, reason: 'range_not_satisfiable' })
    },
  )

  test.each(['bytes=9-5', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=-', 'bytes=a-b'])(
    'is whole for Range: %s',
    async range => {
      expect((await get({ range })).status).toBe(200)
    },
  )

  test('is a part only of what If-Range names, compared strongly', async () => {
    const ask = async (value: string) => (await get({ range: 'bytes=0-1', 'if-range': value }, '7')).status
    expect([await ask('"seven"'), await ask('"six"'), await ask('W/"seven"')]).toEqual([206, 200, 200])
    expect(await ask('Sat, 29 Oct 1994 19:43:31 GMT')).toBe(200)
  })

  test('may be empty, and has no range then', async () => {
    const response = await get({}, 'empty')
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0'])
    expect((await get({ range: 'bytes=0-' }, 'empty')).status).toBe(416)
  })
})

describe('an endpoint', () => {
  test('that fails answers a problem with a reference and without the words of a stranger', async () => {
    const response = await fetch(`${at}/broken`)
    const text = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json'])
    expect(text).not.toContain('hunter2')
    const { ref } = JSON.parse(text)
    expect(served.world.records.at(-1)).toMatchObject({
      tool: 'broken',
      code: 'internal',
      ref,
      channel: 'rest',
    })
  })

  test('whose port is not there is unavailable', async () => {
    const response = await fetch(`${at}/portless`)
    expect([response.status, (await bodyOf(response)).detail]).toEqual([
      503,
      'portless needs "rdap", which is not configured here.',
    ])
  })

  test('asks who is calling, and is limited', async () => {
    expect((await fetch(`${at}/narrow`)).status).toBe(401)
    const ask = () => fetch(`${at}/narrow`, { headers: { authorization: 'Bearer ada' } })
    const first = await ask()
    expect(await bodyOf(first)).toEqual({ caller: 'fixture:ada' })
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=/)
    await ask()
    const over = await ask()
    expect([over.status, over.headers.has('retry-after')]).toEqual([429, true])
  })

  test('calls tools, each call once under the key of its own', async () => {
    const ask = (key: string) => fetch(`${at}/twice`, { method: 'POST', headers: { 'idempotency-key': key } })
    const first = await bodyOf(await ask('t1'))
    expect(first.runs[1] - first.runs[0]).toBe(1)
    expect(await bodyOf(await ask('t1'))).toEqual(first)
    expect((await bodyOf(await ask('t2'))).runs[0]).toBe(first.runs[1] + 1)
  })

  test('that shares method and path with a tool does not start', async () => {
    const { fixtureWith, tile } = await import('./endpoint-fixture.ts')
    const twin = { ...tile, method: 'POST' as const, path: '/tools/:anything', name: 'twin' }
    await (await serve([fixtureWith(twin)])).stop()
    await expect(serve([fixtureWith({ ...twin, path: '/tools/count' })])).rejects.toThrow('two routes answer')
  })
})

test('nothing that nobody had foreseen was thrown', () => {
  expect(served.errors).toEqual([])
})
