import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Service } from '../../mcp/kernel/service.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { listen } from '../listen.ts'
import { pay } from '../payment/fake-method.ts'
import { openPaid, type Paid } from '../payment/gate-fixture.ts'
import {
  fixture,
  fixtureWith,
  paidDrawing,
  paidRpc,
  paidRuns,
  paidTile,
  rpcRuns,
} from './endpoint-fixture.ts'
import { post, type Served, serve } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
const bodyOf = async (response: Response): Promise<any> => response.json()

describe('JSON-RPC inside REST', () => {
  let served: Served
  beforeAll(async () => {
    served = await serve([fixture])
  })
  afterAll(() => served.stop())

  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    post(`${served.url}/fixture/rpc`, body, headers)
  const callOf = (method: string, more: object = {}) => ({ jsonrpc: '2.0', id: 1, method, ...more })

  test.each([1, 0, -5, 'x', '', null])('answers with the id of the call: %j', async id => {
    const response = await ask(callOf('echo', { id, params: [1, { a: 'ä' }] }))
    expect([response.status, await response.json()]).toEqual([
      200,
      { jsonrpc: '2.0', id, result: [1, { a: 'ä' }] },
    ])
  })

  test('answers a notification with 204, also one that fails', async () => {
    for (const method of ['echo', 'nothing', 'break']) {
      const response = await ask({ jsonrpc: '2.0', method })
      expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
        204,
        null,
        '',
      ])
    }
  })

  test.each([
    ['a method that is not there', callOf('nothing'), -32601, 1],
    ['a thing that is not there', callOf('thing'), -31404, 1],
    ['params that are wrong', callOf('add', { params: { by: 'x' } }), -32602, 1],
    ['a batch', [callOf('echo'), callOf('echo')], -32600, null],
    ['an empty batch', [], -32600, null],
    ['another version', { id: 1, method: 'echo' }, -32600, null],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32600, null],
    ['a method of endless length', callOf('x'.repeat(201)), -32600, null],
    ['an id that is an object', callOf('echo', { id: {} }), -32600, null],
    ['an id that is a fraction', callOf('echo', { id: 1.5 }), -32600, null],
    ['params that are text', callOf('echo', { params: 'x' }), -32600, null],
    ['what is no JSON', '{"jsonrpc"', -32700, null],
    ['nothing', '', -32700, null],
  ])('answers %s with an error of JSON-RPC', async (_, body, code, id) => {
    const response = await ask(body)
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toMatchObject({
      jsonrpc: '2.0',
      id,
      error: { code, message: expect.any(String), data: { type: expect.stringMatching(/^\/problems\//) } },
    })
  })

  test('refuses bytes that are no UTF-8, another type and an encoding', async () => {
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      fetch(`${served.url}/fixture/rpc`, { method: 'POST', body, headers })
    const json = { 'content-type': 'application/json' }
    const broken = await send(new Uint8Array([0x22, 0xff, 0x22]), json)
    expect((await bodyOf(broken)).error.code).toBe(-32700)
    expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send('{}', { ...json, 'content-encoding': 'gzip' })).status).toBe(415)
    const large = await send(`"${'x'.repeat(1 << 20)}"`, json)
    expect([large.status, (await bodyOf(large)).id]).toEqual([413, null])
  })

  test('keeps the words of a stranger, in a handler and in its answer', async () => {
    for (const method of ['break', 'unwritable']) {
      const text = await (await ask(callOf(method))).text()
      expect(text).not.toMatch(/hunter2|BigInt/)
      const { error } = JSON.parse(text)
      expect([error.code, error.data.code]).toEqual([-32603, 'internal'])
      expect(served.world.records.some(({ ref, cause }) => ref === error.data.ref && cause)).toBe(true)
    }
  })

  test('is answered once under an Idempotency-Key, whatever the number of the call', async () => {
    const key = { 'idempotency-key': 'r1' }
    const first = await bodyOf(await ask(callOf('add', { params: { by: 1 } }), key))
    const again = await bodyOf(await ask(callOf('add', { params: { by: 1 }, id: 2 }), key))
    expect(again).toEqual({ ...first, id: 2 })
    const other = await bodyOf(await ask(callOf('add', { params: { by: 2 } }), key))
    expect(other.error.data.code).toBe('conflict')
  })

  test('refuses a credential that is not known with the status of HTTP', async () => {
    const response = await ask(callOf('echo'), { authorization: 'Bearer eve' })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="fixture"',
    ])
    expect(await bodyOf(response)).toMatchObject({ id: 1, error: { code: -31401 } })
  })
})

describe('an endpoint with a price', () => {
  let paid: Paid
  let url = ''
  let stop: () => Promise<void>
  const holder: Service = fixtureWith(paidRpc, paidTile, paidDrawing)
  beforeEach(async () => {
    paid = await openPaid()
    const world = { ...paid.world, base: () => `${url}/fixture` }
    const served = await listen([{ prefix: '/fixture', routes: restRoutes(world, holder) }])
    url = served.url
    stop = served.stop
    rpcRuns.count = 0
    paidRuns.count = 0
  })
  afterEach(async () => {
    await stop()
    await paid.stop()
  })

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
  const decode = (value: string | null) => JSON.parse(Buffer.from(value ?? '', 'base64').toString())
  const signedFor = async (response: Response): Promise<Record<string, string>> => {
    const { accepts } = decode(response.headers.get('payment-required'))
    return { 'payment-signature': encode(pay(paid.chain, paid.chain.payer(), accepts[0])) }
  }

  test('of JSON-RPC asks for it in headers and error, is paid once, and answers the same payment again', async () => {
    const ask = (id: number, headers: Record<string, string> = {}, params = ['a']) =>
      post(`${url}/fixture/paid-rpc?x=1`, { jsonrpc: '2.0', id, method: 'echo', params }, headers)
    const unpaid = await ask(1)
    expect(unpaid.status).toBe(402)
    const required = decode(unpaid.headers.get('payment-required'))
    expect(required.resource.url).toBe(`${url}/fixture/paid-rpc`)
    expect(await bodyOf(unpaid)).toMatchObject({
      id: 1,
      error: { code: -31402, data: { code: 'payment_required', paymentRequired: required } },
    })
    expect(rpcRuns.count).toBe(0)
    const header = await signedFor(unpaid)
    const first = await ask(2, header)
    expect([first.status, await first.json()]).toEqual([200, { jsonrpc: '2.0', id: 2, result: ['a'] }])
    expect(decode(first.headers.get('payment-response'))).toMatchObject({ success: true })
    const again = await ask(3, header)
    expect([again.status, await again.json()]).toEqual([200, { jsonrpc: '2.0', id: 3, result: ['a'] }])
    expect([rpcRuns.count, paid.chain.debits()]).toEqual([1, 100_000n])
    const other = await ask(4, header, ['b'])
    expect((await bodyOf(other)).error.data.code).toBe('conflict')
  })

  test('is checked before it has a price, whoever asks: what cannot be served costs nothing', async () => {
    const unpaid = await fetch(`${url}/fixture/paid/large`)
    expect([unpaid.status, unpaid.headers.get('payment-required')]).toEqual([422, null])
    const headers = await signedFor(await fetch(`${url}/fixture/paid/7`))
    const paying = await fetch(`${url}/fixture/paid/large`, { headers })
    expect([paying.status, await paying.json()]).toMatchObject([422, { detail: 'size: must be a number.' }])
    expect([paidRuns.count, paid.chain.debits()]).toEqual([0, 0n])
  })

  test('of JSON-RPC that fails after it was paid says so, and runs again for the same payment', async () => {
    const ask = (method: string, headers: Record<string, string> = {}) =>
      post(`${url}/fixture/paid-rpc`, { jsonrpc: '2.0', id: 1, method }, headers)
    const header = await signedFor(await ask('break'))
    const broken = await ask('break', header)
    expect(decode(broken.headers.get('payment-response'))).toMatchObject({ success: true })
    const text = await broken.text()
    expect(text).not.toContain('hunter2')
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32603, data: { charged: true } } })
    await ask('break', header)
    expect([rpcRuns.count, paid.chain.debits()]).toEqual([2, 100_000n])
  })

  test('of bytes answers the same payment with the same bytes, in parts too, and no cache may share them', async () => {
    const get = (size: number, headers: Record<string, string> = {}) =>
      fetch(`${url}/fixture/paid/${size}`, { headers })
    const unpaid = await get(600_000)
    expect([unpaid.status, unpaid.headers.get('content-type')]).toEqual([402, 'application/problem+json'])
    const header = await signedFor(unpaid)
    const first = await get(600_000, header)
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private'])
    const bytes = Buffer.from(await first.arrayBuffer())
    const again = await get(600_000, header)
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    const part = await get(600_000, { ...header, range: 'bytes=10-19' })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(10, 20)])
    const none = await get(600_000, { ...header, range: 'bytes=600000-' })
    expect([none.status, decode(none.headers.get('payment-response')).success]).toEqual([416, true])
    expect([paidRuns.count, paid.chain.debits()]).toEqual([1, 100_000n])
  })

  test('of bytes that are too many to keep runs again for the payment of the same reading', async () => {
    const get = (headers: Record<string, string> = {}) => fetch(`${url}/fixture/paid/1100000`, { headers })
    const header = await signedFor(await get())
    const sizes = []
    for (let times = 0; times < 2; times++) {
      const response = await get(header)
      sizes.push([response.status, (await response.arrayBuffer()).byteLength])
    }
    expect(sizes).toEqual([
      [200, 1_100_000],
      [200, 1_100_000],
    ])
    expect(paid.chain.debits()).toBe(100_000n)
  })

  test('of bytes that are too many to keep says of a call that acts that it was charged and has run', async () => {
    const draw = (headers: Record<string, string> = {}) =>
      fetch(`${url}/fixture/paid/1100000`, { method: 'POST', headers })
    const header = await signedFor(await draw())
    expect((await (await draw(header)).arrayBuffer()).byteLength).toBe(1_100_000)
    const again = await draw(header)
    expect(again.status).toBe(409)
    expect(decode(again.headers.get('payment-response')).success).toBe(true)
    expect(await bodyOf(again)).toMatchObject({ code: 'conflict', charged: true })
    expect([paidRuns.count, paid.chain.debits()]).toEqual([1, 100_000n])
  })
})
