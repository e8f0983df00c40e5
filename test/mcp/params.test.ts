import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lab } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { eras, post, requestOf } from './wire.ts'

let served: Served
let urls: string[]
beforeAll(async () => {
  served = await serveMcp(emptyWorld(), [lab])
  urls = [`${served.url}/lab/mcp`, `${served.url}/mcp`]
})
afterAll(async () => {
  expect(served.faults).toEqual([])
  await served.stop()
})

const methods = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'tasks/get',
  'sampling/createMessage',
  'nothing/such',
  '__proto__',
  '',
] as const

const notifications = [
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/nothing',
] as const

type Rpc = { id?: unknown; error?: { code: number; message: string; data?: unknown } }

/** What no caller may ever see: our internals, a dump of a validator, a fault of ours for a fault of theirs. */
const isClean = (status: number, text: string, messages: readonly Rpc[]): void => {
  expect(status).toBeLessThan(500)
  expect(text).not.toMatch(
    /ZodError|node_modules|\.ts:\d|\.js:\d|"code":-32603|invalid_type|unrecognized_keys|\bat \w+ \(/,
  )
  for (const { error } of messages) {
    if (!error) continue
    // The name of an unknown tool is the caller's own, in one line.
    expect(error.message).not.toMatch(/\n/)
    expect(error.message.replace(/^(Unknown tool: ).{0,64}$/, '$1')).not.toMatch(/[{[]/)
    expect(error.message.length).toBeLessThan(300)
  }
}

const send = async (url: string, body: unknown, headers: Record<string, string>) => {
  const answer = await post(url, body, headers)
  isClean(answer.status, JSON.stringify(answer.messages), answer.messages as Rpc[])
  return answer
}

const wrong: readonly [method: string, params: unknown, names: string][] = [
  ['initialize', {}, 'protocolVersion'],
  [
    'initialize',
    { protocolVersion: 5, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    'protocolVersion',
  ],
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: 'all', clientInfo: { name: 'a', version: '1' } },
    'capabilities',
  ],
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a' } },
    'clientInfo.version',
  ],
  ['tools/call', {}, 'name'],
  ['tools/call', { name: 5 }, 'name'],
  ['tools/call', { name: null }, 'name'],
  ['tools/call', { name: 'echo', arguments: [1] }, 'arguments'],
  ['tools/call', { name: 'echo', arguments: 'text' }, 'arguments'],
  ['tools/call', { name: 'echo', arguments: 7 }, 'arguments'],
  ['tools/list', { cursor: 5 }, 'cursor'],
  ['tools/list', { cursor: { a: 1 } }, 'cursor'],
  ['resources/list', { cursor: [] }, 'cursor'],
  ['resources/list', { cursor: false }, 'cursor'],
]

describe.each(eras)('in the era of %s', era => {
  const legacy = era === '2025'
  test.each(wrong.filter(([method]) => legacy || method !== 'initialize'))(
    '%s with %j is -32602 and names %s',
    async (method, params, name) => {
      const { body, headers } = requestOf(era, method, params as Record<string, unknown>)
      for (const url of urls) {
        const { message } = await send(url, body, headers)
        expect(message.error?.code).toBe(-32602)
        expect(message.error?.message).toContain(name)
        expect(message.id).toBe(7)
      }
    },
  )

  test.each([
    ['null', null],
    ['a list', [1, 2]],
    ['text', 'x'],
    ['a number', 1],
    ['false', false],
  ])('params that are %s are -32602 for every method', async (_, params) => {
    for (const method of methods.filter(name => name !== '')) {
      const { body, headers } = requestOf(era, method)
      const { message } = await send(urls[0] ?? '', { ...body, params }, headers)
      expect(message.error?.code).toBe(-32602)
      expect(message.error?.message).toMatch(/params/)
    }
  })

  test.each([
    ['_meta that is text', { _meta: 'x' }],
    ['_meta that is a list', { _meta: [] }],
    ['a progress token that is an object', { _meta: { progressToken: {} } }],
    ['a progress token with a fraction', { _meta: { progressToken: 1.5 } }],
    ['a related task without an id', { _meta: { 'io.modelcontextprotocol/related-task': {} } }],
  ])('%s is -32602 and names _meta', async (_, params) => {
    const { body, headers } = requestOf(era, 'tools/list')
    const merged =
      typeof params._meta === 'object' && !Array.isArray(params._meta)
        ? { _meta: { ...(body.params as { _meta?: object })._meta, ...params._meta } }
        : params
    const { message } = await send(urls[0] ?? '', { ...body, params: merged }, headers)
    expect(message.error?.code).toBe(-32602)
    expect(message.error?.message).toContain('_meta')
  })

  test('whatever JSON-RPC a stranger can write, the answer is his fault in a sentence, or a result', async () => {
    const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>
    const field = (...good: unknown[]) => fc.oneof(json, fc.constantFrom(...good))
    const params = fc.oneof(
      json,
      fc.record(
        {
          name: field('echo', 'find_tool', 'constructor'),
          arguments: field({}, { text: 'a' }, null),
          cursor: field('', 'x'),
          uri: field('x://y'),
          level: field('info'),
          ref: field({ type: 'ref/prompt', name: 'x' }),
          argument: field({ name: 'a', value: 'b' }),
          protocolVersion: field('2025-11-25', '1999-01-01'),
          capabilities: field({}, { sampling: {} }),
          clientInfo: field({ name: 'a', version: '1' }),
          requestId: field(7),
          progressToken: field(7),
          _meta: field({}, { progressToken: 1 }),
        },
        { requiredKeys: [] },
      ),
    )
    const id = fc.oneof(
      fc.integer(),
      fc.string({ maxLength: 9 }),
      fc.constantFrom(null, undefined, 2 ** 60, 1.5),
      json,
    )
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '2.0', '1.0', 2),
        id,
        method: fc.oneof(fc.constantFrom(...methods), fc.constantFrom(...notifications), json),
        params,
        result: json,
        error: json,
      },
      { requiredKeys: ['jsonrpc', 'method'] },
    )
    const proper = fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.constant(7),
      method: fc.constantFrom(...methods),
      params,
    })
    const body = fc.oneof(
      proper,
      proper,
      message,
      fc.array(fc.oneof(proper, message), { maxLength: 3 }),
      json,
    )
    const { headers } = requestOf(era, 'tools/list')
    const envelope = (requestOf(era, 'tools/list').body.params as { _meta?: object })._meta
    const claim = (value: unknown): unknown => {
      if (legacy || typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const { params } = value as { params?: unknown }
      if (typeof params !== 'object' || params === null || Array.isArray(params)) return value
      const meta = (params as { _meta?: unknown })._meta
      const merged = typeof meta === 'object' && meta !== null ? { ...envelope, ...meta } : (meta ?? envelope)
      return { ...value, params: { ...params, _meta: merged } }
    }
    const { 'mcp-method': _, 'mcp-name': __, ...plain } = headers
    const named = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { name: '{', uri: 'x://y' } }
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...urls), async (value, url) => {
        await send(url, JSON.stringify(claim(value)) ?? 'null', plain)
      }),
      {
        numRuns: 300,
        interruptAfterTimeLimit: 20_000,
        markInterruptAsFailure: false,
        examples: urls.map((url): [unknown, string] => [named, url]),
      },
    )
  })
})

test('a batch of the era that had them answers each wrong one by its id', async () => {
  const { headers } = requestOf('2025', 'ping')
  const call = (id: number, params: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })
  const good = { name: 'echo', arguments: { text: 'a' } }
  const calls = [call(1, good), call(2, { name: 5 }), call(3, { name: 'echo', arguments: 3 })]
  const { messages } = await send(urls[0] ?? '', calls, headers)
  const answers = new Map(messages.map(({ id, error }) => [id, error?.code]))
  expect(Array.from(answers).sort()).toEqual([
    [1, undefined],
    [2, -32602],
    [3, -32602],
  ])
  const { message } = await send(urls[0] ?? '', [...calls, call(4, [1])], headers)
  expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining('Message 4') })
})

test.each(notifications)('%s with junk is no fault of ours', async method => {
  for (const era of eras)
    for (const params of [
      null,
      5,
      'x',
      [],
      { requestId: {} },
      { progressToken: [], progress: 'x' },
      { _meta: 3 },
    ]) {
      const { headers } = requestOf(era, method)
      await send(urls[0] ?? '', { jsonrpc: '2.0', method, params }, headers)
    }
})
