import { afterEach, describe, expect, test } from 'vitest'
import type { World } from '../../mcp/kernel/call.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { counter, serviceWith } from '../call/fixture.ts'
import { expectDescribed, openApiAt } from './conformance.ts'
import { dear, patient, quote, tollGate } from './fixture.ts'
import { post, type Served, serve } from './server.ts'

let served: Served | undefined
afterEach(async () => {
  await served?.stop()
  served = undefined
})

const open = async (tools: readonly AnyTool[], more: Partial<World> = {}) => {
  served = await serve([serviceWith(...tools)], more)
  return `${served.url}/fixture`
}

const body = async (base: string, response: Response, method = 'POST') =>
  expectDescribed(await openApiAt(base), method, response)

const until = async (condition: () => boolean) => {
  for (let tries = 0; tries < 500 && !condition(); tries++) await new Promise(done => setTimeout(done, 10))
  expect(condition()).toBe(true)
}

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'k1' }

  test('runs a call once and says that the second answer is the first', async () => {
    const base = await open([{ ...counter(), rest: { routes: [], status: 201 } }])
    const first = await post(`${base}/tools/count`, {}, key)
    const second = await post(`${base}/tools/count`, {}, key)
    // The second has made nothing.
    expect([first.status, second.status]).toEqual([201, 200])
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect([await body(base, first), await body(base, second)]).toEqual(
      Array(2).fill({ runs: 1, caller: null }),
    )
    expect(await (await post(`${base}/tools/count`, {})).json()).toMatchObject({ runs: 2 })
  })

  test('refuses another body', async () => {
    const base = await open([counter()])
    await post(`${base}/tools/count`, { by: 1 }, key)
    const other = await post(`${base}/tools/count`, { by: 2 }, key)
    expect([other.status, await body(base, other)]).toMatchObject([409, { code: 'conflict' }])
    expect(other.headers.get('retry-after')).toBeNull()
  })

  test('refuses a call whose first is still running, with Retry-After', async () => {
    const { slow, state } = patient()
    const base = await open([slow])
    const first = post(`${base}/tools/slow`, {}, key)
    await until(() => state.started === 1)
    const second = await post(`${base}/tools/slow`, {}, key)
    expect([second.status, await body(base, second)]).toMatchObject([
      409,
      { code: 'conflict', retryable: true },
    ])
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    state.letGo()
    expect((await first).status).toBe(200)
    expect((await post(`${base}/tools/slow`, {}, key)).headers.get('idempotency-replayed')).toBe('true')
    expect(state.started).toBe(1)
  })
})

test('too many calls are told when to come back', async () => {
  const base = await open([counter()], { limits: openLimits(), perMinute: 2 })
  const standings: (string | null)[] = []
  for (let calls = 0; calls < 2; calls++)
    standings.push((await post(`${base}/tools/count`, {})).headers.get('ratelimit'))
  expect(standings).toEqual([expect.stringMatching(/r=1;t=60$/), expect.stringMatching(/r=0;t=\d+$/)])
  const refused = await post(`${base}/tools/count`, {})
  expect([refused.status, await body(base, refused)]).toMatchObject([
    429,
    { code: 'too_many_requests', retryable: true },
  ])
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit')).toContain(`r=0;t=${seconds}`)
})

describe('a priced tool', () => {
  test('is unavailable where nothing can be paid', async () => {
    const base = await open([dear])
    const response = await post(`${base}/dear`, {})
    expect([response.status, await body(base, response)]).toMatchObject([
      503,
      { code: 'unavailable', hint: 'It is free with free=1 over REST, 2 calls a minute.' },
    ])
  })

  test('is free with free=1, until the free tier is used up', async () => {
    const base = await open([dear])
    for (const ask of [() => fetch(`${base}/dear?free=1&what=tea`), () => post(`${base}/dear?free=1`, {})])
      expect((await ask()).status).toBe(201)
    const refused = await fetch(`${base}/dear?free=1`)
    expect([refused.status, await body(base, refused, 'GET')]).toMatchObject([429, {}])
  })

  test('answers 402 with the quote as header and body', async () => {
    const { gate } = tollGate()
    const base = await open([dear], { gate })
    const response = await fetch(`${base}/dear?what=tea`)
    const { paymentRequired: required, ...problem } = await body(base, response, 'GET')
    expect(response.status).toBe(402)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(problem).toMatchObject({ code: 'payment_required', status: 402 })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(required).toEqual({ ...quote, resource: { url: `${base}/dear` } })
    const header = response.headers.get('payment-required') ?? ''
    expect(JSON.parse(Buffer.from(header, 'base64').toString())).toEqual(required)
  })

  test('runs for a payment and answers with the receipt', async () => {
    const { gate, resources } = tollGate()
    const base = await open([dear], { gate })
    const response = await post(`${base}/tools/dear`, { what: 'tea' }, { 'payment-signature': 'signed' })
    expect([response.status, await body(base, response)]).toEqual([201, { what: 'tea' }])
    const receipt = Buffer.from(response.headers.get('payment-response') ?? '', 'base64').toString()
    expect(JSON.parse(receipt)).toEqual({
      success: true,
      receipt: 'r1',
      method: 'test',
      network: 'eip155:8453',
      transaction: '0xabc',
      payer: 'signed',
    })
    expect(resources).toEqual([`${base}/tools/dear`])
  })
})

describe('a credential', () => {
  test('tells who is calling', async () => {
    const base = await open([counter()])
    const response = await post(`${base}/tools/count`, {}, { authorization: 'Bearer ada' })
    expect(await body(base, response)).toMatchObject({ caller: 'fixture:ada' })
  })

  test('that is not known is refused with WWW-Authenticate', async () => {
    const base = await open([counter()])
    const response = await post(`${base}/tools/count`, {}, { authorization: 'Bearer eve' })
    expect([response.status, await body(base, response)]).toMatchObject([401, { code: 'unauthenticated' }])
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="fixture"')
  })
})

test('a call that takes too long is answered 504 and aborted', async () => {
  const { slow, state } = patient({ timeoutMs: 50 })
  const base = await open([slow])
  const response = await post(`${base}/tools/slow`, {})
  expect([response.status, await body(base, response)]).toMatchObject([
    504,
    { code: 'timeout', retryable: true },
  ])
  expect(state.aborted).toBe(1)
})

test('a client that goes away aborts its call, and one that stays does not', async () => {
  const { slow, state } = patient()
  const base = await open([slow])
  const leaving = new AbortController()
  const left = fetch(`${base}/tools/slow`, { method: 'POST', signal: leaving.signal })
  await until(() => state.started === 1)
  leaving.abort()
  await expect(left).rejects.toThrow()
  await until(() => state.aborted === 1)
  const stays = post(`${base}/tools/slow`, {})
  await until(() => state.started === 2)
  state.letGo()
  expect((await stays).status).toBe(200)
  expect(state.aborted).toBe(1)
})

test('a handler that breaks says nothing about itself', async () => {
  const broken = counter({ name: 'broken', output: counter().input })
  const base = await open([broken])
  const response = await post(`${base}/tools/broken`, {})
  const problem = await body(base, response)
  expect([response.status, problem]).toMatchObject([500, { code: 'internal', ref: expect.any(String) }])
  expect(JSON.stringify(problem)).not.toContain('schema:')
})
