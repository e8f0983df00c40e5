import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { Route } from '../../mcp/kernel/http.ts'
import { openRouter, type RouterOptions, type Site } from '../../rest-adapter/router.ts'
import { listen } from '../listen.ts'
import { json, type Reply, raw } from './server.ts'

/** Answers with its own name and the params it was given. */
const named = (method: Route['method'], path: string, name = path): Route => ({
  method,
  path,
  handle: (req, res, params) => void res.end(JSON.stringify({ name, method: req.method, params })),
})

const sites: readonly Site[] = [
  { prefix: '', routes: [named('GET', '/', 'home'), named('GET', '/a/b')] },
  {
    prefix: '/cat',
    routes: [
      named('GET', '/', 'cat'),
      named('POST', '/', 'cat message'),
      named('GET', '/tasks/search'),
      named('GET', '/tasks/:id'),
      named('DELETE', '/tasks/:id'),
      named('PATCH', '/tasks/:task_id'),
      named('POST', '/tasks/:id/apply'),
      named('GET', '/pair/:asset-:window'),
      named('GET', '/pair/:whole'),
      named('GET', '/.well-known/agent.json'),
    ],
  },
  { host: 'Cat.Example.org:443', prefix: '', routes: [named('GET', '/', 'cat at its own host')] },
]

let served: { url: string; stop(): Promise<void> } | undefined
afterEach(async () => {
  await served?.stop()
  served = undefined
})

const open = async (options: RouterOptions = {}, more: readonly Site[] = sites) => {
  served = await listen(more, { ...options, hosts: ['cat.example.org'] })
  const { url } = served
  return (path: string, init: { method?: string; headers?: object; body?: string } = {}) =>
    raw(url, path, init)
}

const said = ({ body }: Reply) => JSON.parse(body)

describe('finds', () => {
  test.each([
    ['GET', '/', 'home', {}],
    ['GET', '/cat', 'cat', {}],
    ['GET', '/cat/', 'cat', {}],
    ['GET', '/cat//', 'cat', {}],
    ['GET', '/cat?x=/y/', 'cat', {}],
    ['POST', '/cat', 'cat message', {}],
    ['GET', '/cat/tasks/search', '/tasks/search', {}],
    ['GET', '/cat/tasks/se%61rch', '/tasks/search', {}],
    ['GET', '/cat/tasks/7', '/tasks/:id', { id: '7' }],
    ['GET', '/cat/tasks/7/', '/tasks/:id', { id: '7' }],
    ['GET', '/cat/tasks/a%2Fb%20c', '/tasks/:id', { id: 'a/b c' }],
    ['DELETE', '/cat/tasks/search', '/tasks/:id', { id: 'search' }],
    ['PATCH', '/cat/tasks/7', '/tasks/:task_id', { task_id: '7' }],
    ['POST', '/cat/tasks/7/apply', '/tasks/:id/apply', { id: '7' }],
    ['GET', '/cat/pair/btc-5m', '/pair/:asset-:window', { asset: 'btc', window: '5m' }],
    ['GET', '/cat/pair/btc', '/pair/:whole', { whole: 'btc' }],
    ['GET', '/cat/.well-known/agent.json', '/.well-known/agent.json', {}],
    ['GET', 'http://127.0.0.1/cat/tasks/7?x', '/tasks/:id', { id: '7' }],
  ])('%s %s', async (method, path, name, params) => {
    const ask = await open()
    expect(said(await ask(path, { method }))).toEqual({ name, method, params })
  })

  test('the site of a host name, whatever its case and port, and no other site there', async () => {
    const ask = await open()
    const at = (path: string) => ask(path, { headers: { host: 'CAT.example.org:8402' } })
    expect(said(await at('/')).name).toBe('cat at its own host')
    expect((await at('/cat')).status).toBe(404)
  })
})

test('HEAD answers as GET without a body', async () => {
  const ask = await open()
  const { status, body, headers } = await ask('/cat/tasks/7', { method: 'HEAD' })
  expect([status, body, headers.vary]).toEqual([200, '', 'Origin'])
})

test('OPTIONS tells what a path allows', async () => {
  const ask = await open()
  const { status, headers, body } = await ask('/cat/tasks/search', { method: 'OPTIONS' })
  expect([status, body]).toEqual([204, ''])
  expect(headers.allow).toBe('GET, DELETE, PATCH, HEAD, OPTIONS')
  expect((await ask('/nowhere', { method: 'OPTIONS' })).status).toBe(404)
})

test('refuses another method with Allow, as a problem', async () => {
  const ask = await open()
  const reply = await ask('/cat', { method: 'DELETE' })
  expect(reply.status).toBe(405)
  expect(reply.headers.allow).toBe('GET, POST, HEAD, OPTIONS')
  expect(reply.headers['content-type']).toBe('application/problem+json')
  expect(said(reply)).toMatchObject({ code: 'method_not_allowed', status: 405 })
})

test('refuses an unknown path with a hint where to start, also to JSON-RPC', async () => {
  const ask = await open()
  const reply = await ask('/cat/nothing', { method: 'POST', headers: json, body: '{"jsonrpc":"2.0"}' })
  expect(reply.status).toBe(404)
  expect(reply.headers['content-type']).toBe('application/problem+json')
  expect(said(reply)).toMatchObject({ code: 'not_found', hint: 'GET /cat/ lists what is here.' })
  expect(said(await ask('/x')).hint).toBe('GET / lists what is here.')
  expect((await ask('/cat/tasks//apply', { method: 'POST' })).status).toBe(404)
})

test.each(['/%zz', '/cat/tasks/%E0%A4%A', '/%'])('refuses broken percent-encoding: %s', async path => {
  const ask = await open()
  const reply = await ask(path)
  expect([reply.status, said(reply).code]).toEqual([400, 'malformed'])
})

describe('a handler that fails', () => {
  const failing = (handle: Route['handle']): Site[] => [
    { prefix: '', routes: [{ method: 'GET', path: '/x', handle }] },
  ]
  const secret = new Error('the password is hunter2')

  test.each<[string, Route['handle']]>([
    [
      'throws',
      () => {
        throw secret
      },
    ],
    ['rejects', () => Promise.reject(secret)],
    ['rejects later', () => new Promise((_, reject) => setImmediate(() => reject(secret)))],
  ])('and %s is answered without its message, and logged under its ref', async (_, handle) => {
    const logged: unknown[] = []
    const ask = await open({ onError: (error, at) => void logged.push(error, at) }, failing(handle))
    const reply = await ask('/x')
    expect(reply.status).toBe(500)
    expect(reply.body).not.toContain('hunter2')
    expect(said(reply)).toMatchObject({ code: 'internal', ref: expect.any(String) })
    expect(logged).toEqual([secret, { method: 'GET', path: '/x', ref: said(reply).ref }])
  })

  test('with a ToolError is answered as that problem, and not logged', async () => {
    const logged: unknown[] = []
    const throws = () => Promise.reject(new ToolError('gone', 'It was here.', { headers: { 'X-Why': 'y' } }))
    const ask = await open({ onError: error => void logged.push(error) }, failing(throws))
    const reply = await ask('/x')
    expect([reply.status, reply.headers['x-why'], logged]).toEqual([410, 'y', []])
  })

  test('after it began to write is cut off', async () => {
    const ask = await open(
      {},
      failing(async (_, res) => {
        res.write('half')
        throw secret
      }),
    )
    await expect(ask('/x')).rejects.toThrow(/hang up|reset|aborted/)
  })

  test('with a header that cannot be written does not end the process', async () => {
    const logged: unknown[] = []
    const bad = () => Promise.reject(new ToolError('gone', 'x', { headers: { 'X-Bad': 'a\nb' } }))
    const ask = await open({ onError: error => void logged.push(error) }, failing(bad))
    await expect(ask('/x')).rejects.toThrow(/hang up|reset/)
    expect(logged).toHaveLength(1)
  })
})

describe('refuses at once', () => {
  test.each([
    ['the same path twice', [named('GET', '/a'), named('GET', '/a/')], /"GET \/p\/a" and "GET \/p\/a"/],
    [
      'params of other names',
      [named('GET', '/t/:id'), named('GET', '/t/:task')],
      /\/t\/:id" and .*\/t\/:task"/,
    ],
  ])('%s', (_, routes, message) => {
    expect(() => openRouter([{ prefix: '/p', routes }])).toThrow(message)
  })

  test('the same path from two sites', () => {
    const here = { prefix: '', routes: [named('GET', '/p/a')] }
    const there = { prefix: '/p', routes: [named('GET', '/a')] }
    expect(() => openRouter([here, there])).toThrow(/GET \/p\/a/)
    expect(() => openRouter([here, { ...there, host: 'p.example.org' }])).not.toThrow()
  })
})

test('OPTIONS * is answered, and the connection lives on', async () => {
  await open()
  const { port } = new URL(served?.url ?? '')
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [answer] = await once(socket, 'data')
  socket.destroy()
  expect(String(answer)).toMatch(/^HTTP\/1.1 204 /)
})
