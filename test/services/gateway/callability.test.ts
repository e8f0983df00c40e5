import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProbing, type Reply, rpcPage, said } from './probing.ts'
import { quoteOf, startTown, statuses, type Town } from './town.ts'

let town: Town
let agent: ReturnType<typeof openProbing>['agent']
let verify: ReturnType<typeof openProbing>['verify']
let preflight: ReturnType<typeof openProbing>['preflight']
beforeAll(async () => {
  town = await startTown()
  ;({ agent, verify, preflight } = openProbing(town))
})
afterAll(() => town.stop())

type Protocols = Record<string, Record<string, unknown>>
type Attempts = { step: string; status: number | null; url: string }[]

const callable = { state: 'completed', status: 'callable', failure_class: null, capability_verified: false }

describe('an A2A agent', () => {
  test.each<[what: string, version: string, reply: Reply]>([
    [
      'a message',
      '1.0',
      rpc => ({ result: { message: { role: 'ROLE_AGENT', parts: [{ text: said(rpc) }] } } }),
    ],
    [
      'a task',
      '1.0',
      () => ({ result: { task: { id: 't', status: { state: 'TASK_STATE_SUBMITTED' }, history: [] } } }),
    ],
    [
      'a message of 0.3 after method not found',
      '0.3',
      rpc =>
        rpc.method === 'message/send'
          ? { result: { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: said(rpc) }] } }
          : { error: { code: -32601, message: 'Method not found' } },
    ],
    [
      'a task of 0.3 after an unsupported version',
      '0.3',
      rpc =>
        rpc.method === 'message/send'
          ? { result: { kind: 'task', id: 't', status: { state: 'working' } } }
          : { error: { code: -32009, message: 'Version' } },
    ],
  ])('that answers %s is callable', async (_, version, reply) => {
    const answer = await verify(agent(reply))
    expect(answer).toMatchObject({
      ...callable,
      source: 'address',
      protocols: { a2a: { version, answer: true } },
    })
    expect(answer.proof_digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('an echo of the nonce is told apart from its repetition as id and in the history', async () => {
    const echo = await verify(agent(rpc => ({ result: { message: { parts: [{ text: said(rpc) }] } } })))
    expect((echo.protocols as Protocols).a2a?.nonce_echoed).toBe(true)
    const silent = await verify(
      agent(({ params }) => ({
        result: {
          task: { id: 't', status: { state: 'TASK_STATE_WORKING' }, history: [params.message] },
        },
      })),
    )
    expect((silent.protocols as Protocols).a2a).toMatchObject({ answer: true, nonce_echoed: false })
  })

  test('that answers a well-formed error is callable, without an answer', async () => {
    const answer = await verify(agent(() => ({ error: { code: -32602, message: 'Say it in data' } })))
    expect(answer).toMatchObject({ ...callable, protocols: { a2a: { answer: false, error_code: -32602 } } })
  })

  test.each<[what: string, status: number, told: object]>([
    ['401', 401, { state: 'completed', status: 'callable_with_auth', failure_class: null }],
    ['402', 402, { state: 'completed', status: 'callable_with_payment', failure_class: null }],
    ['403', 403, { state: 'completed', status: 'callable_with_auth', failure_class: null }],
    ['404', 404, { state: 'failed', status: 'not_callable', failure_class: 'protocol_failure' }],
    ['429', 429, { state: 'failed', status: 'not_callable', failure_class: 'rate_limited' }],
    ['500', 500, { state: 'failed', status: 'not_callable', failure_class: 'unavailable' }],
  ])('that answers %s', async (_, status, told) => {
    const page: Reply = () => (response: ServerResponse) => response.writeHead(status).end('{}')
    expect(await verify(agent(page))).toMatchObject(told)
  })

  test.each<[what: string, body: (id: string) => string, failure: string]>([
    ['no JSON', () => '<html>', 'protocol_failure'],
    ['another id', () => JSON.stringify({ jsonrpc: '2.0', id: 'x', result: {} }), 'protocol_failure'],
    ['no version', id => JSON.stringify({ id, result: { message: { parts: [] } } }), 'protocol_failure'],
    [
      'an error without a code',
      id => JSON.stringify({ jsonrpc: '2.0', id, error: 'no' }),
      'protocol_failure',
    ],
    ['an empty result', id => JSON.stringify({ jsonrpc: '2.0', id, result: {} }), 'verification_failed'],
    [
      'a word for a message',
      id => JSON.stringify({ jsonrpc: '2.0', id, result: { message: 'ok' } }),
      'verification_failed',
    ],
  ])('that answers %s is not callable', async (_, body, failure_class) => {
    const host = agent(
      ({ id }) =>
        (response: ServerResponse) =>
          response.end(body(id ?? '')),
    )
    expect(await verify(host)).toMatchObject({ state: 'failed', status: 'not_callable', failure_class })
  })

  test('that redirects is incompatible, and the redirect is not followed', async () => {
    const target = agent(() => ({ result: { message: { parts: [] } } }))
    const host = agent(
      () => (response: ServerResponse) =>
        response.writeHead(307, { location: `https://${target}/a2a` }).end(),
    )
    expect(await verify(host)).toMatchObject({ state: 'failed', failure_class: 'incompatible' })
    expect(town.internet.web.visits.some(visit => visit.host === target)).toBe(false)
  })

  test('that sends more than 128 KiB is too large', async () => {
    const host = agent(() => ({ result: { message: { parts: [{ text: 'x'.repeat(140_000) }] } } }))
    expect(await verify(host)).toMatchObject({ state: 'failed', failure_class: 'response_too_large' })
  })

  test('that hangs or breaks off leaves open whether it was reached', async () => {
    const hangs = agent(() => () => {})
    const breaks = agent(() => (response: ServerResponse) => response.destroy())
    const told = { state: 'ambiguous', status: 'ambiguous', failure_class: 'unknown_delivery_state' }
    const answers = await Promise.all([verify(hangs), verify(breaks)])
    for (const answer of answers) expect(answer).toMatchObject(told)
    for (const host of [hangs, breaks])
      expect(statuses(await preflight(host)).protocol_callable).toBe('unknown')
  })
})

const mcp =
  (wrap: (answer: object) => unknown, seen: IncomingMessage['headers'][] = []): Reply =>
  ({ id, method }, { headers }) => {
    seen.push(headers)
    const envelope = (result: object) => ({ jsonrpc: '2.0', id, result })
    if (method === 'initialize')
      return wrap(
        envelope({ protocolVersion: '2025-06-18', serverInfo: { name: 'Tools\u202e' }, capabilities: {} }),
      )
    if (method === 'tools/list')
      return wrap(
        envelope({
          tools: [
            { name: 'one', inputSchema: {} },
            { name: 'two', inputSchema: {} },
          ],
        }),
      )
    return (response: ServerResponse) => response.writeHead(202).end()
  }

const events = (answer: object) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'session-7' })
  response.end(
    `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message' })}\n\ndata: ${JSON.stringify(answer)}\n\n`,
  )
}

describe('an MCP server', () => {
  let servers = 0
  const at = (reply: Reply) => {
    const host = `tools-${++servers}.example.com`
    town.internet.web.site(host, '/mcp', rpcPage(reply))
    return `https://${host}/mcp`
  }
  const found = {
    ...callable,
    protocols: {
      mcp: { tool_count: 2, tools: ['one', 'two'], server: 'Tools', protocol_version: '2025-06-18' },
    },
  }

  test('is initialized and listed over JSON and over events, in its session and its version', async () => {
    const seen: IncomingMessage['headers'][] = []
    const plain = await verify(at(mcp(answer => answer)))
    const streamed = await verify(at(mcp(events, seen)))
    expect(plain).toMatchObject(found)
    expect(streamed).toMatchObject(found)
    const digest = (answer: object) => (answer as { protocols: Protocols }).protocols.mcp?.schema_digest
    expect(digest(plain)).toMatch(/^sha256:/)
    expect(digest(streamed)).toBe(digest(plain))
    expect(seen.map(headers => headers['mcp-session-id'])).toEqual([undefined, 'session-7', 'session-7'])
    expect(seen.slice(1).every(headers => headers['mcp-protocol-version'] === '2025-06-18')).toBe(true)
    expect((streamed.attempts as Attempts).map(({ step }) => step)).toContain('mcp tools/list')
  })

  test('that asks for credentials or payment, or refuses the list, says so', async () => {
    const status =
      (code: number): Reply =>
      () =>
      (response: ServerResponse) =>
        response.writeHead(code).end()
    expect(await verify(at(status(401)))).toMatchObject({ status: 'callable_with_auth' })
    expect(await verify(at(status(402)))).toMatchObject({ status: 'callable_with_payment' })
    const refusing: Reply = rpc =>
      rpc.method === 'initialize'
        ? { result: { protocolVersion: '2025-11-25' } }
        : { error: { code: -32601, message: 'no' } }
    expect(await verify(at(refusing))).toMatchObject({ state: 'failed', failure_class: 'protocol_failure' })
  })
})

describe('an x402 resource', () => {
  test('with a quote in the body or in the header is callable with payment', async () => {
    const [offer] = quoteOf().accepts
    const { amount, ...rest } = offer ?? { amount: '' }
    const v1 = { x402Version: 1, accepts: [{ ...rest, network: 'base', maxAmountRequired: amount }] }
    const header = Buffer.from(JSON.stringify(quoteOf())).toString('base64')
    for (const [page, version] of [
      [town.json(v1, 402), 1],
      [town.json({}, 402, { 'payment-required': header }), 2],
    ] as const)
      expect(await verify(`https://${town.provider({ '/work': page })}/work`)).toMatchObject({
        state: 'completed',
        status: 'callable_with_payment',
        protocols: { x402: { version, offers: 1, pay_to: offer?.payTo } },
      })
  })

  test('that knows POST alone is asked with an empty one', async () => {
    const host = town.provider({
      '/work': (request, response) =>
        response
          .writeHead(request.method === 'POST' ? 402 : 405, { 'content-type': 'application/json' })
          .end(request.method === 'POST' ? JSON.stringify(quoteOf()) : '{}'),
    })
    expect(await verify(`https://${host}/work`)).toMatchObject({ status: 'callable_with_payment' })
  })

  test('that is gone or quotes nonsense is not callable, whatever the card beside it says', async () => {
    const told = { state: 'failed', status: 'not_callable' }
    const gone = town.provider({ '/work': town.json({}, 410) })
    expect(await verify(`https://${gone}/work`)).toMatchObject({ ...told, failure_class: 'no_result' })
    const odd = town.provider({ '/work': town.json({ x402Version: 2, accepts: [] }, 402) })
    expect(await verify(`https://${odd}/work`)).toMatchObject({ ...told, failure_class: 'protocol_failure' })
  })
})
