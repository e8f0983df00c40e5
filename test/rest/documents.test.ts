import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { encodingFor } from '../../mcp/kernel/representation.ts'
import { startApp } from '../app.ts'
import { opened } from '../opened.ts'
import { raw } from './server.ts'
import { exchange } from './wire.ts'

const app = opened(startApp)

const documents = [
  '/',
  '/llms.txt',
  '/registry.json',
  '/.well-known/x402',
  '/problems',
  '/problems/conflict',
  '/cat/',
  '/cat/llms.txt',
  '/cat/openapi.json',
  '/cat/.well-known/x402',
  '/cat/.well-known/agent-card.json',
  '/broker/.well-known/agent.json',
]

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await fetch(app.url + path, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
  })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}

/** A body as it goes over the wire: fetch would decompress it. */
const bytesOf = async (path: string, encoding: string): Promise<Buffer> => {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const sent = request(app.url + path, { headers: { 'accept-encoding': encoding } }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks)))
      expect(answer.headers['content-encoding']).toBe(encoding)
      expect(answer.headers.etag).toContain(`-${encoding}"`)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe.each(documents)('%s', path => {
  test('has a validator, says what it varies by, and is not sent twice', async () => {
    const first = await get(path)
    expect([first.status, first.headers.get('content-encoding')]).toEqual([200, null])
    expect(first.headers.get('vary')).toContain('Accept-Encoding')
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{27}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*', etag.replace(/"$/, '-gzip"')]) {
      const again = await get(path, { 'if-none-match': known })
      expect([again.status, again.body.length, again.headers.get('etag')]).toEqual([304, 0, etag])
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('says of HEAD what it says of GET, without the body', async () => {
    const [full, head] = [await get(path), await get(path, {}, 'HEAD')]
    expect([head.status, head.body.length]).toEqual([200, 0])
    for (const name of ['content-length', 'content-type', 'etag', 'vary', 'cache-control'])
      expect(head.headers.get(name)).toBe(full.headers.get(name))
    const { body, status } = await exchange(
      app.url,
      `HEAD ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    expect([status, body]).toEqual([200, ''])
  })

  test('a preflight is answered', async () => {
    const { status } = await raw(app.url, path, { method: 'OPTIONS', headers: { host: 'localhost' } })
    expect(status).toBe(204)
  })
})

test('large documents are compressed, and decompress to themselves', async () => {
  for (const path of ['/registry.json', '/cat/openapi.json', '/llms.txt', '/broker/.well-known/agent.json']) {
    const { body } = await get(path)
    const [gzip, br] = [await bytesOf(path, 'gzip'), await bytesOf(path, 'br')]
    expect(gunzipSync(gzip).equals(body)).toBe(true)
    expect(brotliDecompressSync(br).equals(body)).toBe(true)
    expect(Math.max(gzip.length, br.length)).toBeLessThan(body.length / 2)
  }
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.1, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['GZIP;Q=1', 'gzip'],
  ['gzip;q=x', undefined],
  [`${'x,'.repeat(10_000)}gzip`, undefined],
])('an Accept-Encoding of %j gets %s', (header, encoding) => {
  expect(encodingFor(header)).toBe(encoding)
})

test('one client reads so many documents in a minute, over all of them, and health is not one', async () => {
  const limited = await startApp({ OCTAGENT_RATE_LIMIT: '5' })
  const status = async (path: string) => (await fetch(limited.url + path)).status
  const read: number[] = []
  for (const path of [
    '/',
    '/cat/skill.md',
    '/robots.txt',
    '/llms.txt',
    '/cat/.well-known/agent-card.json',
    '/',
    '/problems',
  ])
    read.push(await status(path))
  expect(read).toEqual([200, 200, 200, 200, 200, 429, 429])
  expect([await status('/healthz'), await status('/readyz'), await status('/cat/api/pet')]).toEqual([
    200, 200, 200,
  ])
  await limited.stop()
})

test('a large document counts by what is sent of it: one that is not compressed leaves little for the next', async () => {
  const limited = await startApp({ OCTAGENT_RATE_LIMIT: '40' })
  const read = async (headers: Record<string, string>) => {
    const answer = await fetch(`${limited.url}/registry.json`, { headers })
    return {
      status: answer.status,
      bytes: (await answer.arrayBuffer()).byteLength,
      etag: answer.headers.get('etag'),
    }
  }
  const first = await read({ 'accept-encoding': 'identity' })
  expect(first.status).toBe(200)
  const perMinute = Math.ceil(40 / (1 + Math.floor(first.bytes / 65_536)))
  const statuses = []
  for (let n = 1; n < perMinute + 2; n++)
    statuses.push((await read({ 'accept-encoding': 'identity' })).status)
  expect(statuses.filter(status => status === 200)).toHaveLength(perMinute - 1)
  await limited.stop()
})
