import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lab } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { eras, post, requestOf } from './wire.ts'

let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(emptyWorld(), [lab])
  url = `${served.url}/lab/mcp`
})
afterAll(async () => {
  expect(served.faults).toEqual([])
  await served.stop()
})

const { headers } = requestOf('2025', 'ping')
const rpc = (more: object) => ({ jsonrpc: '2.0', id: 1, method: 'ping', ...more })

test.each([
  ['half a document', '{"jsonrpc":"2.0",'],
  ['no document', ''],
  ['text', 'hello'],
])('refuses %s with -32700', async (_, body) => {
  const { status, message } = await post(url, body, headers)
  expect([status, message.error?.code, message.id]).toEqual([400, -32700, null])
})

test.each([
  ['a number', 5],
  ['null', 'null'],
  ['an empty object', {}],
  ['an empty batch', []],
  ['a batch with something else in it', [rpc({}), 5]],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a method that is no text', rpc({ method: 7 })],
  ['JSON-RPC 1.0', rpc({ jsonrpc: '1.0' })],
  ['no jsonrpc', { id: 1, method: 'ping' }],
  ['an id of null', rpc({ id: null })],
  ['an id that is an object', rpc({ id: { a: 1 } })],
  ['an id that is a boolean', rpc({ id: true })],
  ['an id with a fraction', rpc({ id: 1.5 })],
])('refuses %s with -32600', async (_, body) => {
  const { status, message } = await post(url, body, headers)
  expect([status, message.error?.code]).toEqual([400, -32600])
})

describe.each(eras)('in the era of %s', era => {
  test.each([7, 0, -1, 'seven', ''])('answers an id of %j with the same id', async id => {
    const { body, headers } = requestOf(era, 'tools/list')
    expect((await post(url, { ...body, id }, headers)).message.id).toBe(id)
  })

  test.each([
    ['params that are a list', { params: [1] }],
    ['params that are text', { params: 'x' }],
    ['no tool name', { params: {} }],
    ['a tool name that is a number', { params: { name: 5 } }],
    ['arguments that are a list', { params: { name: 'echo', arguments: [1] } }],
  ])('answers %s with an error and lives on', async (_, more) => {
    const { body, headers } = requestOf(era, 'tools/call', { name: 'echo' })
    const params =
      typeof more.params === 'object' && !Array.isArray(more.params)
        ? { ...more.params, _meta: body.params._meta }
        : more.params
    const { status, message } = await post(url, { ...body, params }, headers)
    expect(status).toBeLessThan(500)
    expect(message.error ?? message.result).toBeDefined()
    expect(message.result?.isError ?? true).toBe(true)
    const again = requestOf(era, 'tools/list')
    expect((await post(url, again.body, again.headers)).status).toBe(200)
  })

  test('a tool named like something of Object is unknown', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { body, headers } = requestOf(era, 'tools/call', { name, arguments: {} })
      expect((await post(url, body, headers)).message.error?.code).toBe(-32602)
    }
  })

  test('an argument named __proto__ is an unknown field, not a prototype', async () => {
    const { body, headers } = requestOf(era, 'tools/call', { name: 'echo', arguments: {} })
    const text = JSON.stringify(body).replace(
      '"arguments":{}',
      '"arguments":{"text":"a","__proto__":{"times":3}}',
    )
    const { message } = await post(url, text, headers)
    expect(JSON.stringify(message)).not.toContain('a a a')
  })
})

test('answers a batch of the era that had them, each by its id', async () => {
  const call = (id: number, text: string) =>
    rpc({ id, method: 'tools/call', params: { name: 'echo', arguments: { text } } })
  const { messages } = await post(url, [call(1, 'one'), call(2, 'two')], headers)
  expect(messages.map(({ id, result }) => [id, result?.structuredContent?.said]).sort()).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
})

test('refuses a batch in the era without them, and one of 101 in the era with them', async () => {
  const modern = requestOf('2026', 'tools/list')
  const mixed = await post(url, [modern.body], modern.headers)
  expect([mixed.status, mixed.message.error?.code]).toEqual([400, -32600])
  const many = await post(
    url,
    Array.from({ length: 101 }, (_, id) => rpc({ id })),
    headers,
  )
  expect([many.status, many.message.error?.code]).toEqual([400, -32600])
})

test('refuses a body over 1 MiB with 413, declared or streamed', async () => {
  const big = JSON.stringify(rpc({ params: { text: 'x'.repeat(1 << 20) } }))
  const declared = await post(url, big, headers)
  expect([declared.status, declared.message.error?.code]).toEqual([413, -31413])
  const status = await new Promise(resolve => {
    const sent = request(url, { method: 'POST', headers }, answer => resolve(answer.resume().statusCode))
    sent.on('error', () => resolve('cut'))
    for (let at = 0; at < big.length; at += 65_536) sent.write(big.slice(at, at + 65_536))
    sent.end()
  })
  expect([413, 'cut']).toContain(status)
})

test('refuses another media type with 415', async () => {
  const { status, message } = await post(url, 'x=1', { ...headers, 'content-type': 'text/plain' })
  expect([status, message.error?.code]).toEqual([415, -31415])
})

test('refuses a foreign Host and a foreign Origin before anything else', async () => {
  const forged = await new Promise(resolve => {
    const sent = request(url, { method: 'POST', headers: { ...headers, host: 'evil.example' } }, answer =>
      resolve(answer.resume().statusCode),
    )
    sent.end(JSON.stringify(rpc({})))
  })
  expect(forged).toBe(403)
  const { status } = await post(url, rpc({}), { ...headers, origin: 'https://evil.example' })
  expect(status).toBe(403)
})

test('ignores a session id that somebody made up', async () => {
  const { status } = await post(url, rpc({}), { ...headers, 'mcp-session-id': 'mine' })
  expect(status).toBe(200)
})
