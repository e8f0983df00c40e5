import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { Route } from '../../mcp/kernel/http.ts'
import { boundConnections } from '../../rest-adapter/connections.ts'
import type { HttpServerOptions } from '../../rest-adapter/http-server.ts'
import { send } from '../../rest-adapter/send.ts'
import { listen } from '../listen.ts'
import { dial, exchange } from './wire.ts'

let served: Awaited<ReturnType<typeof listen>> | undefined
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await served?.stop()
  served = undefined
})

const large = Buffer.alloc(4 << 20, 'x')

/** What every request of a test did: how many are under way, at most, and altogether. */
const open = async (body: Buffer | string, ms?: number, options: HttpServerOptions = {}) => {
  const seen = { now: 0, most: 0, all: 0 }
  const route: Route = {
    method: 'GET',
    path: '/x',
    async handle(req, res) {
      seen.all++
      seen.most = Math.max(seen.most, ++seen.now)
      res.once('close', () => seen.now--)
      if (ms !== undefined) await wait(ms)
      send(res, 200, 'text/plain', body, { 'X-Target': req.url })
    },
  }
  const health: Route = {
    method: 'GET',
    path: '/healthz',
    handle: (_, res) => send(res, 200, 'text/plain', 'ok'),
  }
  served = await listen([{ prefix: '', routes: [route, health] }], options)
  return { seen, url: served.url }
}

const ask = (at: number) => `GET /x?${at} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const asks = (count: number) => Array.from({ length: count }, (_, at) => ask(at)).join('')

const attack = async (url: string, bytes: string): Promise<Socket> => {
  const socket = await dial(url)
  sockets.push(socket)
  socket.pause()
  socket.write(bytes)
  return socket
}

test('pipelined requests are answered one at a time, in order', async () => {
  const { seen, url } = await open('ok', 5)
  const { all } = await exchange(url, asks(20), 500)
  expect(Array.from(all.matchAll(/X-Target: \/x\?(\d+)/g), ([, at]) => Number(at))).toEqual(
    Array.from({ length: 20 }, (_, at) => at),
  )
  expect(seen).toMatchObject({ most: 1, all: 20 })
})

test('requests that come in pieces wait for each other too', async () => {
  const { seen, url } = await open('ok', 5)
  const socket = await dial(url)
  sockets.push(socket)
  let all = ''
  socket.on('data', chunk => {
    all += chunk
  })
  for (const part of asks(12).match(/[\s\S]{1,50}/g) ?? []) {
    socket.write(part)
    await wait(1)
  }
  await vi.waitFor(() => expect(all.match(/HTTP\/1\.1 200/g)).toHaveLength(12))
  expect(seen.most).toBe(1)
})

test('a client that does not read gets one answer and no second one is begun', async () => {
  const { seen, url } = await open(large)
  await attack(url, asks(50))
  await vi.waitFor(() => expect(seen.all).toBe(1))
  await wait(200)
  expect(seen).toEqual({ now: 1, most: 1, all: 1 })
})

test('a connection with more requests ahead than anybody needs is closed before they are handled', async () => {
  const { seen, url } = await open('ok', 50)
  const { closed } = await exchange(url, asks(1000))
  expect(closed).toBe(true)
  await wait(100)
  expect(seen.all).toBeLessThanOrEqual(1)
})

test('300 connections that pipeline and never read do not keep /healthz from answering', async () => {
  const { seen, url } = await open(large)
  const rounds = async () => {
    const begun = performance.now()
    for (let at = 0; at < 20; at++) expect((await fetch(`${url}/healthz`)).status).toBe(200)
    return performance.now() - begun
  }
  await rounds()
  const alone = await rounds()
  const flood = asks(64)
  for (let at = 0; at < 300; at++) await attack(url, flood)
  await vi.waitFor(() => expect(seen.all).toBeGreaterThan(250))
  const under = await rounds()
  // Before connections were bounded, one such answer took seconds.
  expect(under).toBeLessThan(alone * 20 + 1000)
  expect(seen.all).toBeLessThanOrEqual(300)
})

test('of a flood in one write hardly anything is handled, and others are served', async () => {
  const { seen, url } = await open('ok')
  const flood = asks(1500)
  for (let at = 0; at < 200; at++) void attack(url, flood).catch(() => {})
  await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200))
  await vi.waitFor(() => expect(seen.all).toBeGreaterThanOrEqual(200))
  await wait(300)
  expect(seen.all).toBeLessThan(200 * 3)
})

test('a queue left behind by a client that goes away is not worked off', async () => {
  const { seen, url } = await open('ok', 30)
  const socket = await attack(url, asks(40))
  await vi.waitFor(() => expect(seen.all).toBeGreaterThan(0), { interval: 5 })
  socket.resetAndDestroy()
  await wait(100)
  const soon = seen.all
  await wait(500)
  expect(seen.all - soon).toBeLessThan(3)
})

test('the slowest readers lose their connections when too much waits for all of them', async () => {
  const { seen, url } = await open(Buffer.alloc(7 << 20, 'x'))
  let closed = 0
  for (let at = 0; at < 24; at++) (await attack(url, ask(at))).once('close', () => closed++)
  await vi.waitFor(() => expect(seen.all).toBe(24))
  await vi.waitFor(() => expect(seen.now).toBeLessThan(14))
  expect(seen.now).toBeGreaterThan(4)
})

test('one answer that is larger than anybody may leave unread ends its connection', async () => {
  const { seen, url } = await open(Buffer.alloc(24 << 20, 'x'))
  await attack(url, ask(1))
  await vi.waitFor(() => expect(seen).toMatchObject({ all: 1, now: 0 }))
})

test('an answer that is not read for long ends its connection; one that is long in coming does not', async () => {
  const { seen, url } = await open(large, 700, { stallMs: 200 })
  const reads = fetch(`${url}/x`).then(answer => answer.arrayBuffer())
  await attack(url, ask(1))
  expect((await reads).byteLength).toBe(large.length)
  await vi.waitFor(() => expect(seen).toMatchObject({ all: 2, now: 0 }))
})

const impatient = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 }

test.each([
  ['header fields', 'GET /x HTTP/1.1\r\nHost: localhost\r\n', 'X: y\r\n'],
  ['a body', 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n', ' '],
])('who sends %s for ever, a little at a time, gets 408 and the end', async (_, head, drop) => {
  const { url } = await open('ok', undefined, { times: impatient })
  const socket = await dial(url)
  sockets.push(socket)
  let all = ''
  let closed = false
  socket.on('data', chunk => {
    all += chunk
  })
  socket.once('close', () => {
    closed = true
  })
  socket.write(head)
  for (let at = 0; at < 200 && !closed; at++) {
    socket.write(drop)
    await wait(20)
  }
  expect(closed).toBe(true)
  expect(all).toMatch(/^HTTP\/1\.1 (408|405)/)
  expect(all).toContain('application/problem+json')
})

test('an address holds so many connections, an IPv6 one with its /64; this machine holds any number', () => {
  const server = createServer()
  boundConnections(server, { perAddress: 2 })
  const come = (remoteAddress: string) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
    server.emit('connection', socket)
    sockets.push(socket)
    return socket
  }
  const refused = (addresses: string[]) => addresses.map(come).map(({ destroyed }) => destroyed)
  expect(refused(Array(3).fill('198.51.100.7'))).toEqual([false, false, true])
  expect(refused(['::ffff:198.51.100.7', '198.51.100.8'])).toEqual([true, false])
  expect(refused(['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:3::4', '2001:db8:1:3::1'])).toEqual([
    false,
    false,
    true,
    false,
  ])
  expect(refused(Array(5).fill('127.0.0.1')).concat(refused(Array(5).fill('::1')))).not.toContain(true)
  expect(refused(Array(3).fill('::ffff:127.0.0.1'))).not.toContain(true)
  server.close()
})

test('an address that leaves may come again', async () => {
  const server = createServer()
  boundConnections(server, { perAddress: 1 })
  for (let at = 0; at < 3; at++) {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: '198.51.100.7' })
    server.emit('connection', socket)
    expect(socket.destroyed).toBe(false)
    socket.destroy()
    await new Promise(closed => socket.once('close', closed))
  }
  server.close()
})
