import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openFetch } from '../../mcp/ports/fetch/fetch.ts'
import { payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../mcp/ports/lightning/key.ts'
import { openLlm } from '../../mcp/ports/llm/llm.ts'
import { openTracer } from '../../mcp/ports/trace/otlp.ts'
import { startApp } from '../app.ts'
import { startModel } from '../model-server.ts'
import { attributeOf, startReceiver, type WireSpan } from './otlp-receiver.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${parentId}-01`

let receiver: Awaited<ReturnType<typeof startReceiver>>
let app: Awaited<ReturnType<typeof startApp>>
let untraced: Awaited<ReturnType<typeof startApp>>
beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ada%20b',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  untraced = await startApp()
})
afterAll(async () => {
  await Promise.all([app?.stop(), untraced?.stop()])
  await receiver?.stop()
})

/** A way out to this machine, as the program has to what its operator names. */
const toOperators = () =>
  openFetch({
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    allow: () => true,
    userAgent: 'Octagent/test',
  })

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** The spans that arrived of a trace, once its outermost is among them; spans are sent within five seconds. */
const spansOf = async (id: string): Promise<WireSpan[]> => {
  const own = () => receiver.spans.filter(span => span.traceId === id)
  await expect.poll(() => own().some(({ kind }) => kind === 2), { timeout: 20_000 }).toBe(true)
  return own()
}

const childrenOf = (spans: readonly WireSpan[], parent: WireSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(({ name }) => name)

test('a call goes on with the trace of its caller, and so does what it asks of others', async () => {
  app.internet.web.visits.length = 0
  const answer = await fetch(`${app.url}/data/skills/url-metadata?free=1&url=http://example.com/`, {
    headers: { traceparent, tracestate: 'vendor=1', 'x-request-id': 'req-1' },
  })
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'req-1'])
  const spans = await spansOf(traceId)
  const call = spans.find(({ kind }) => kind === 2)
  expect(call).toMatchObject({
    name: 'execute_tool url-metadata',
    parentSpanId: parentId,
    status: { code: 0 },
  })
  expect(call && attributeOf(call, 'octagent.request_id')).toBe('req-1')
  const run = spans.find(({ name }) => name === 'run')
  const request = spans.find(({ name, parentSpanId }) => name === 'GET' && parentSpanId === run?.spanId)
  expect(run?.parentSpanId).toBe(call?.spanId)
  expect(request && attributeOf(request, 'server.address')).toBe('example.com')
  expect(request && attributeOf(request, 'http.response.status_code')).toBe('200')
  const [visit] = app.internet.web.visits
  expect(visit?.headers).toMatchObject({
    traceparent: `00-${traceId}-${request?.spanId}-01`,
    tracestate: 'vendor=1',
  })
  expect(JSON.stringify(spans)).not.toContain('http://example.com/')
})

test('a client of MCP says its trace in _meta, and the spans have the names of the conventions', async () => {
  const id = '11111111111111111111111111111111'
  const params = {
    name: 'pet',
    arguments: {},
    _meta: { traceparent: `00-${id}-${parentId}-01` },
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const accept = { accept: 'application/json, text/event-stream' }
  expect((await post(`${app.url}/cat/mcp`, body, accept)).status).toBe(200)
  const call = (await spansOf(id)).find(({ kind }) => kind === 2)
  expect(call?.name).toBe('tools/call pet')
  expect(call && attributeOf(call, 'mcp.method.name')).toBe('tools/call')
  expect(call && attributeOf(call, 'gen_ai.operation.name')).toBe('execute_tool')
})

test('each step of the gate, the settlement, the run and the sandbox has a span, and the receipt the request', async () => {
  const id = '22222222222222222222222222222222'
  const url = `${app.url}/proof/execute`
  const body = { code: 'print(6 * 7)', language: 'python' }
  const refused = await post(url, body, { 'x-request-id': 'quote-1' })
  expect(refused.status).toBe(402)
  expect(await refused.json()).toMatchObject({ requestId: 'quote-1' })
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const [, token] = / token="([^"]+)"/.exec(challenge) ?? []
  const [, invoice = ''] = /invoice="([^"]+)"/.exec(challenge) ?? []
  const paid = payDevelopmentInvoice(invoice, await openLightningKey(app.dir), new Date())
  if (paid.state !== 'paid') throw new Error('not paid')
  const answer = await post(url, body, {
    authorization: `L402 ${token}:${paid.preimage}`,
    traceparent: `00-${id}-${parentId}-01`,
    'x-request-id': 'paid-1',
  })
  expect([answer.status, await answer.clone().text()]).toEqual([200, expect.stringContaining('42')])
  const spans = await spansOf(id)
  const call = spans.find(({ kind }) => kind === 2)
  const charge = spans.find(({ name }) => name === 'payment charge')
  const run = spans.find(({ name }) => name === 'run')
  expect(childrenOf(spans, call)).toEqual(expect.arrayContaining(['payment find', 'check', 'payment charge']))
  expect(childrenOf(spans, charge)).toEqual(expect.arrayContaining(['payment find']))
  expect(childrenOf(spans, run)).toEqual(expect.arrayContaining(['sandbox run', 'store transaction']))
  const receiptId = call && attributeOf(call, 'octagent.receipt')
  const receipt = await fetch(`${app.url}/receipts/${receiptId}`)
  expect(await receipt.json()).toMatchObject({ requestId: 'paid-1' })
})

test('a question to the model has a span with its tokens, and the model is told the trace', async () => {
  const model = await startModel()
  const out = toOperators()
  const reach = { fetch: out, endpoint: receiver.url, resource: {}, ratio: 1 }
  const tracer = openTracer({ ...reach, onDelivery: () => undefined })
  const llm = openLlm({ fetch: out, url: model.url, model: 'small' })
  model.turns = [{ value: { sum: 4 } }]
  const id = '33333333333333333333333333333333'
  const span = tracer.begin('call', { traceparent: `00-${id}-${parentId}-01` })
  const asker = { client: '192.0.2.1', paid: false, span }
  const asked = llm.forCall?.({ asker, signal: new AbortController().signal })
  const question = {
    system: 's',
    messages: [{ role: 'user', content: 't' }] as const,
    schema: z.object({ sum: z.number() }),
  }
  expect((await asked?.ask(question))?.value).toEqual({ sum: 4 })
  span?.end()
  await tracer.close()
  const spans = await spansOf(id)
  const chat = spans.find(({ name }) => name === 'chat small')
  expect(chat && attributeOf(chat, 'gen_ai.usage.output_tokens')).toBe('30')
  expect(model.requests[0]?.headers.traceparent).toMatch(`00-${id}-`)
  await Promise.all([model.stop(), out.close()])
})

test('spans arrive as OTLP, with the headers and the resource of the operator', () => {
  const [request] = receiver.requests
  expect(request?.path).toBe('/v1/traces')
  expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-tenant': 'ada b' })
  const resource = request?.body.resourceSpans[0]?.resource
  expect(resource && attributeOf(resource, 'service.name')).toBe('octagent')
  expect(resource && attributeOf(resource, 'deployment.environment.name')).toBe('test')
  const [span] = receiver.spans
  expect(span?.startTimeUnixNano).toMatch(/^\d{19}$/)
  expect(BigInt(span?.endTimeUnixNano ?? 0) >= BigInt(span?.startTimeUnixNano ?? 1)).toBe(true)
  expect(Math.abs(Number(BigInt(span?.startTimeUnixNano ?? 0) / 1_000_000n) - Date.now())).toBeLessThan(
    600_000,
  )
})

test('without a collector the trace of a caller is handed on as it came, and nothing is recorded', async () => {
  untraced.internet.web.visits.length = 0
  const url = `${untraced.url}/data/skills/url-metadata?free=1&url=http://example.com/`
  await fetch(url, { headers: { traceparent } })
  expect(untraced.internet.web.visits[0]?.headers.traceparent).toBe(traceparent)
  untraced.internet.web.visits.length = 0
  await fetch(`${url}about`, { headers: { traceparent: '00-zz-1-01' } })
  expect(untraced.internet.web.visits[0]?.headers.traceparent).toBeUndefined()
})

test('every answer names its request, by the name that a client gave or by one of its own', async () => {
  const own = (await fetch(`${untraced.url}/cat/api/pet`)).headers.get('x-request-id')
  expect(own).toMatch(/^[0-9a-f-]{36}$/)
  const given = async (id: string) =>
    (await fetch(`${untraced.url}/nowhere`, { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  expect(await given('job/17:a')).toBe('job/17:a')
  expect(await given('no "quotes"')).toMatch(/^[0-9a-f-]{36}$/)
  const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: {} }
  const failed = await post(`${untraced.url}/cat/a2a`, rpc, { 'x-request-id': 'a2a-1' })
  expect(JSON.stringify(await failed.json())).toContain('"requestId":"a2a-1"')
})
