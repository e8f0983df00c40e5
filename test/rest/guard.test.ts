import { afterEach, describe, expect, test } from 'vitest'
import type { GuardOptions } from '../../rest-adapter/guard.ts'
import { listen } from '../listen.ts'
import { raw } from './server.ts'

let served: { url: string; stop(): Promise<void> } | undefined
afterEach(async () => {
  await served?.stop()
  served = undefined
})

const open = async (options: Partial<GuardOptions>) => {
  const handle = (_: unknown, res: { end(text: string): void }) => res.end('ok')
  const routes = ['/x', '/healthz'].map(path => ({ method: 'GET' as const, path, handle }))
  served = await listen([{ prefix: '', routes }], options)
  const { url } = served
  return (headers: object, method = 'GET', path = '/x') => raw(url, path, { method, headers })
}

describe('on loopback', () => {
  test.each([
    ['localhost', 200],
    ['LOCALHOST:8402', 200],
    ['127.0.0.1:1', 200],
    ['[::1]:8402', 200],
    ['[::1]', 200],
    ['cat.example.org', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['evil.example:8402', 403],
    ['192.168.0.1', 403],
    ['127.9.9.9', 200],
    ['localhost:x', 403],
  ])('the Host "%s" gets %i', async (host, status) => {
    const ask = await open({ hosts: ['cat.example.org:443'] })
    const reply = await ask({ host })
    expect(reply.status).toBe(status)
    if (status === 403) expect(JSON.parse(reply.body)).toMatchObject({ code: 'forbidden' })
  })

  test.each([
    ['http://localhost:3000', 200],
    ['https://127.0.0.1', 200],
    ['http://[::1]:5173', 200],
    ['https://app.example', 200],
    ['https://app.example:444', 403],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['http://localhost@evil.example', 403],
    ['http://localhost:80@evil.example', 403],
    ['http://127.0.0.2:8402', 200],
    ['ftp://localhost', 403],
    ['null', 403],
    ['localhost', 403],
  ])('the Origin "%s" gets %i', async (origin, status) => {
    const ask = await open({ origins: ['https://App.example/'] })
    const reply = await ask({ host: 'localhost', origin })
    expect(reply.status).toBe(status)
    expect(reply.headers['access-control-allow-origin']).toBe(status === 200 ? origin : undefined)
  })
})

describe('in public', () => {
  const options = { loopback: false, hosts: ['cat.example.org', 'octagent.example'], origins: [] }

  test.each([
    ['cat.example.org', undefined, 200],
    ['Octagent.example:443', undefined, 200],
    ['localhost', undefined, 403],
    ['203.0.113.7', undefined, 403],
    ['cat.example.org', 'https://cat.example.org', 200],
    ['cat.example.org', 'https://octagent.example', 403],
    ['cat.example.org', 'http://localhost:3000', 403],
    ['cat.example.org', 'https://evil.example', 403],
    ['cat.example.org', 'null', 403],
  ])('Host %s with Origin %s gets %i', async (host, origin, status) => {
    const ask = await open(options)
    expect((await ask({ host, ...(origin && { origin }) })).status).toBe(status)
  })

  test('a probe may ask /healthz by address, and nothing else', async () => {
    const ask = await open(options)
    expect((await ask({ host: '10.0.0.7:8402' }, 'GET', '/healthz')).status).toBe(200)
    expect((await ask({ host: '10.0.0.7:8402' }, 'GET', '/healthz/../x')).status).toBe(403)
  })

  test('"*" allows every origin, and none in particular', async () => {
    const ask = await open({ ...options, origins: ['*'] })
    for (const origin of ['https://evil.example', 'null']) {
      const reply = await ask({ host: 'cat.example.org', origin })
      expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([200, '*'])
    }
    expect((await ask({ host: 'evil.example', origin: 'https://a.example' })).status).toBe(403)
  })
})

describe('CORS', () => {
  const page = { host: 'localhost', origin: 'http://localhost:3000' }

  test('a preflight is told methods and headers', async () => {
    const ask = await open({})
    const asked = {
      ...page,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'content-type, mcp-param-city, x-evil',
    }
    const { status, headers } = await ask(asked, 'OPTIONS')
    expect(status).toBe(204)
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
    const allowed = headers['access-control-allow-headers']?.split(', ')
    for (const name of [
      'content-type',
      'authorization',
      'mcp-protocol-version',
      'mcp-session-id',
      'mcp-method',
      'mcp-name',
      'mcp-param-city',
      'last-event-id',
      'payment-signature',
      'x-payment',
      'accept-payment',
      'access-control-expose-headers',
      'idempotency-key',
      'x-api-key',
      'a2a-version',
      'a2a-extensions',
      'x-a2a-extensions',
      'signature',
      'signature-input',
    ])
      expect(allowed).toContain(name)
    expect(allowed).not.toContain('x-evil')
    expect(Number(headers['access-control-max-age'])).toBeGreaterThan(0)
  })

  test('a real answer exposes what clients must read, and a failure too', async () => {
    const ask = await open({})
    for (const path of ['/x', '/nothing']) {
      const { headers } = await ask(page, 'GET', path)
      const exposed = headers['access-control-expose-headers']?.split(', ')
      for (const name of [
        'payment-required',
        'payment-response',
        'x-payment-response',
        'payment-receipt',
        'retry-after',
        'ratelimit',
        'ratelimit-policy',
        'mcp-session-id',
        'www-authenticate',
        'etag',
        'a2a-version',
        'idempotency-replayed',
        'location',
        'a2a-extensions',
        'x-a2a-extensions',
        'mcp-protocol-version',
      ])
        expect(exposed).toContain(name)
      expect(headers.vary).toBe('Origin')
    }
  })
})

test('every answer carries the security headers, a refusal too', async () => {
  const ask = await open({})
  for (const host of ['localhost', 'evil.example']) {
    const { headers } = await ask({ host })
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers['x-powered-by']).toBeUndefined()
  }
})
