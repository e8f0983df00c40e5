import fc from 'fast-check'
import { bodyText, fitting, hostile, hostileTexts, type Resolve, type Schema, spoilt } from './values.ts'
import type { Sent } from './wire.ts'

export type Wish = { request: Sent; statuses?: ReadonlySet<string> | undefined; rpc: boolean; raw?: Buffer }

type Parameter = { name?: string; in?: string; $ref?: string; schema?: Schema; example?: unknown }
type Operation = {
  parameters?: Parameter[]
  requestBody?: {
    content: { 'application/json': { schema: Schema; examples?: Record<string, { value: unknown }> } }
  }
  responses: Record<string, unknown>
}
type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export type ServiceFacts = {
  slug: string
  openapi: OpenApi
  /** Tools as MCP lists them. */
  tools: { name: string; inputSchema: Schema }[]
  /** Skill ids of its card, and where A2A answers. */
  skills: string[]
  a2a: string
  /** Credentials that are good here. */
  keys: Readonly<Record<string, string>>[]
}

const resolver =
  ({ components }: OpenApi): Resolve =>
  ref =>
    components.schemas[ref.split('/').at(-1) ?? ''] ?? {}

const mostly = <T>(good: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]) =>
  fc.oneof({ weight: 8, arbitrary: good }, ...others.map(arbitrary => ({ weight: 1, arbitrary })))

const contentTypes = mostly(
  fc.constant('application/json'),
  fc.constantFrom(
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json;;;',
    'APPLICATION/JSON; charset="utf-8"',
    'application/vnd.api+json',
    'x'.repeat(300),
  ),
)

const encodings = fc.oneof(
  { weight: 30, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip', 'x') },
)

const address = fc
  .tuple(fc.integer({ min: 1, max: 223 }), fc.nat(255), fc.nat(255))
  .map(([a, b, c]) => `${a}.${b}.${c}.9`)

const visible = (text: string) => text.replace(/[^\x21-\x7e]/g, '').slice(0, 4000)

const oddHeaders = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Record<string, string>>({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      'idempotency-key': fc.constantFrom('k', ...hostileTexts.map(visible).filter(Boolean)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      'payment-signature': fc.oneof(
        fc.constantFrom('x', 'e30=', 'bnVsbA==', 'W10=', Buffer.from('{"x402Version":2}').toString('base64')),
        hostile.map(value =>
          Buffer.from(JSON.stringify(value) ?? '')
            .toString('base64')
            .slice(0, 4000),
        ),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      authorization: fc.constantFrom(
        'Bearer x',
        'Bearer',
        'Basic eDp5',
        'L402 a:b',
        'l402 :',
        `Bearer ${'k'.repeat(5000)}`,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ 'x-api-key': fc.constantFrom('x', '__proto__', 'k'.repeat(5000)) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      accept: fc.constantFrom('text/html', 'image/png', '*/*;q=0', ';;;', 'text/markdown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ origin: fc.constantFrom('null', 'http://127.0.0.1', 'https://evil.example') }),
  },
)

type Extra = { from: string; type: string; encoding: string | undefined; odd: Record<string, string> }
const extras: fc.Arbitrary<Extra> = fc.record({
  from: address,
  type: contentTypes,
  encoding: encodings,
  odd: oddHeaders,
})

const toHeaders = ({ from, type, encoding, odd }: Extra, body: Buffer | undefined, more: object = {}) => ({
  'x-forwarded-for': from,
  ...(body && { 'content-type': type, 'content-length': String(body.length) }),
  ...(body && encoding !== undefined && { 'content-encoding': encoding }),
  ...more,
  ...odd,
})

const queryText = (value: unknown): string =>
  typeof value === 'string' ? Buffer.from(value).toString() : (JSON.stringify(value) ?? '')

const pathText = (value: unknown): string => encodeURIComponent(queryText(value).slice(0, 2000)) || '%20'

const listOperations = ({ openapi }: ServiceFacts) =>
  Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

/** Calls of every operation that a service describes, well and badly. */
const restCalls = (facts: ServiceFacts): fc.Arbitrary<Wish> => {
  const resolve = resolver(facts.openapi)
  const calls = listOperations(facts).map(({ path, method, operation }): fc.Arbitrary<Wish> => {
    const responses = new Set(Object.keys(operation.responses))
    // Pages declare what they answer and, as a whole, every failure.
    const statuses = responses.has('422') || responses.has('429') ? responses : undefined
    const content = operation.requestBody?.content['application/json']
    const examples = Object.values(content?.examples ?? {}).map(({ value }) => value)
    const good = content ? fitting(content.schema, resolve) : fc.constant({})
    const likely = examples.length > 0 ? fc.constantFrom(...examples) : good
    const body = content
      ? bodyText(fc.oneof(likely, good, spoilt(likely), spoilt(likely), spoilt(good), hostile))
      : fc.constant(undefined)
    const parameters = (operation.parameters ?? []).filter(({ name }) => name !== undefined)
    const values = fc.record(
      Object.fromEntries(
        parameters.map(({ name = '', schema = {}, example }) => {
          const fits = fitting(schema, resolve)
          return [name, mostly(example === undefined ? fits : fc.oneof(fc.constant(example), fits), hostile)]
        }),
      ),
    )
    const surplus = fc.oneof(
      { weight: 8, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'free=1&free=1',
          '__proto__=1',
          'a[b]=c',
          '%',
          '%ff=%fe',
          '&&&',
          'value=x&value=y',
        ),
      },
    )
    const key =
      facts.keys.length > 0 ? fc.option(fc.constantFrom(...facts.keys), { nil: {} }) : fc.constant({})
    return fc
      .record({ body, values, surplus, extra: extras, key, dropped: fc.nat(9) })
      .map(({ body, values, surplus, extra, key, dropped }) => {
        const at = path.replace(/\{(\w+)\}/g, (_, name: string) => pathText(values[name] ?? 'x'))
        const query = parameters
          .filter(({ name = '' }, index) => path.indexOf(`{${name}}`) < 0 && index !== dropped)
          .filter(({ in: place }) => place === 'query')
          .map(({ name = '' }) => `${name}=${encodeURIComponent(queryText(values[name]).slice(0, 3000))}`)
        const text = [...query, ...(surplus ? [surplus] : [])].join('&')
        const full = `/${facts.slug}${at}${text ? `?${text}` : ''}`.slice(0, 12_000)
        return {
          request: { method, path: full, headers: toHeaders(extra, body, key), body },
          statuses,
          rpc: false,
        }
      })
  })
  return fc.oneof(...calls)
}

const ids = fc.constantFrom<unknown>(1, 'a', null, 0, -1, 1.5, '', 'x'.repeat(2000), {}, [], true)

const envelope = (method: fc.Arbitrary<unknown>, params: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const whole = fc
    .tuple(mostly(fc.constant<unknown>(1), ids), method, params, mostly(fc.constant<unknown>('2.0'), hostile))
    .map(([id, method, params, jsonrpc]) => ({ jsonrpc, id, method, params }))
  return fc.oneof(
    { weight: 14, arbitrary: whole },
    { weight: 2, arbitrary: spoilt(whole) },
    { weight: 1, arbitrary: fc.array(whole, { maxLength: 5 }) },
    { weight: 1, arbitrary: hostile },
  )
}

const rpcCall = (
  path: string,
  value: fc.Arbitrary<unknown>,
  headers: fc.Arbitrary<object>,
): fc.Arbitrary<Wish> =>
  fc.tuple(bodyText(value), extras, headers).map(([body, extra, more]) => ({
    request: { method: 'POST', path, headers: toHeaders(extra, body, more), body },
    rpc: true,
  }))

const clientInfo = { name: 'fuzz', version: '1' }
const meta2026 = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** MCP of both eras: the handshake, the lists, and calls of every tool, well and badly. */
const mcpCalls = (facts: ServiceFacts): fc.Arbitrary<Wish> => {
  const resolve = resolver(facts.openapi)
  const name =
    facts.tools.length > 0 ? fc.constantFrom(...facts.tools) : fc.constant({ name: 'x', inputSchema: {} })
  const callParams = name.chain(({ name, inputSchema }) => {
    const good = fitting(inputSchema, resolve)
    return fc.record({
      name: mostly<unknown>(fc.constant(name), hostile),
      arguments: fc.oneof(good, spoilt(good), hostile),
    })
  })
  const withMeta = (params: fc.Arbitrary<unknown>) =>
    fc
      .tuple(params, fc.oneof(fc.constant(undefined), fc.constant(meta2026), hostile))
      .map(([params, _meta]) =>
        typeof params === 'object' && params !== null && !Array.isArray(params) && _meta !== undefined
          ? { ...params, _meta }
          : params,
      )
  const initialize = fc.record({
    protocolVersion: mostly<unknown>(fc.constantFrom('2025-11-25', '2025-06-18', '2024-11-05'), hostile),
    capabilities: mostly<unknown>(fc.constant({}), hostile),
    clientInfo: mostly<unknown>(fc.constant(clientInfo), hostile),
  })
  const headers = fc.record(
    {
      accept: mostly(
        fc.constant('application/json, text/event-stream'),
        fc.constantFrom('application/json', 'text/html'),
      ),
      'mcp-protocol-version': fc.constantFrom('2025-11-25', '2026-07-28', '2024-11-05', 'x'),
      'mcp-method': fc.constantFrom('tools/call', 'tools/list', 'x'),
    },
    { requiredKeys: ['accept'] },
  )
  const method = fc.constantFrom<unknown>(
    'tools/list',
    'ping',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'prompts/list',
    'prompts/get',
    'server/discover',
    'subscriptions/listen',
    'completion/complete',
    'logging/setLevel',
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'tasks/get',
    '__proto__',
    'constructor',
    '',
  )
  const at = fc.constantFrom(
    `/${facts.slug}/mcp`,
    '/mcp',
    `/mcp?services=${facts.slug}`,
    '/mcp?services=__proto__,x',
  )
  return at.chain(path =>
    fc.oneof(
      {
        weight: 6,
        arbitrary: rpcCall(
          path,
          envelope(mostly<unknown>(fc.constant('tools/call'), hostile), withMeta(callParams)),
          headers,
        ),
      },
      { weight: 1, arbitrary: rpcCall(path, envelope(fc.constant('initialize'), initialize), headers) },
      {
        weight: 2,
        arbitrary: rpcCall(
          path,
          envelope(mostly(method, hostile), withMeta(fc.oneof(fc.constant({}), hostile))),
          headers,
        ),
      },
    ),
  )
}

/** A2A 0.3 and 1.0: messages that name skills by data, by metadata and by text, and the methods about tasks. */
const a2aCalls = (facts: ServiceFacts): fc.Arbitrary<Wish> => {
  const skill = fc.constantFrom<unknown>(...facts.skills, 'help', '__proto__')
  const data = fc
    .tuple(fc.constantFrom('skill', 'skillId', 'action'), mostly(skill, hostile), hostile)
    .map(([key, id, more]) => ({
      [key]: id,
      ...(typeof more === 'object' && more !== null ? more : { value: more }),
    }))
  const text = fc.oneof(
    fc
      .tuple(skill, hostile)
      .map(
        ([id, more]) =>
          `${typeof id === 'string' ? id : JSON.stringify(id)} ${typeof more === 'string' ? more : JSON.stringify(more)}`,
      ),
    hostile.map(value => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))),
  )
  const part = fc.oneof(
    text.map((text): unknown => ({ kind: 'text', text })),
    text.map((text): unknown => ({ text })),
    data.map((data): unknown => ({ kind: 'data', data })),
    data.map((data): unknown => ({ data, mediaType: 'application/json' })),
    fc.constantFrom<unknown>(
      { kind: 'file', file: { uri: 'file:///etc/passwd' } },
      { raw: 'AAAA' },
      { url: 'http://127.0.0.1:1' },
    ),
    hostile,
  )
  const message = fc.record(
    {
      messageId: mostly<unknown>(fc.constant('m1'), hostile),
      role: mostly<unknown>(fc.constantFrom('user', 'ROLE_USER'), hostile),
      parts: mostly<unknown>(fc.array(part, { minLength: 1, maxLength: 3 }), hostile),
      kind: fc.constant('message'),
      contextId: hostile,
      taskId: hostile,
      metadata: mostly<unknown>(fc.record({ skill }), hostile),
      referenceTaskIds: hostile,
      extensions: hostile,
    },
    { requiredKeys: ['messageId', 'role', 'parts'] },
  )
  const sending = fc.record(
    {
      message: mostly<unknown>(message, hostile),
      configuration: mostly<unknown>(
        fc.record({ blocking: fc.boolean(), historyLength: fc.integer(), returnImmediately: fc.boolean() }),
        hostile,
      ),
      metadata: hostile,
    },
    { requiredKeys: ['message'] },
  )
  const send = fc.constantFrom<unknown>(
    'message/send',
    'SendMessage',
    'message/stream',
    'SendStreamingMessage',
  )
  const about = fc.constantFrom<unknown>(
    'tasks/get',
    'GetTask',
    'tasks/cancel',
    'CancelTask',
    'tasks/list',
    'ListTasks',
    'tasks/resubscribe',
    'SubscribeToTask',
    'tasks/pushNotificationConfig/set',
    'CreateTaskPushNotificationConfig',
    'agent/getAuthenticatedExtendedCard',
    'GetExtendedAgentCard',
    '',
    'toString',
  )
  const params = fc.record(
    {
      id: hostile,
      name: hostile,
      historyLength: hostile,
      pageSize: hostile,
      pageToken: hostile,
      contextId: hostile,
      status: hostile,
    },
    { requiredKeys: [] },
  )
  const headers = fc.record(
    {
      'a2a-version': fc.constantFrom('1.0', '0.3', '0.3.0', '2.0', 'x'),
      'x-a2a-extensions': fc.constantFrom('x', 'https://a.example,'),
    },
    { requiredKeys: [] },
  )
  return fc.oneof(
    { weight: 5, arbitrary: rpcCall(facts.a2a, envelope(send, sending), headers) },
    { weight: 2, arbitrary: rpcCall(facts.a2a, envelope(about, mostly<unknown>(params, hostile)), headers) },
  )
}

/** Paths and methods that nobody declared. */
const strays = (every: readonly ServiceFacts[]): fc.Arbitrary<Wish> => {
  const paths = every.flatMap(facts => listOperations(facts).map(({ path }) => `/${facts.slug}${path}`))
  const base = fc.constantFrom(
    '/',
    '/mcp',
    '/healthz',
    '/readyz',
    '/.well-known/agent-card.json',
    '/problems/x',
    '/receipts/x',
    ...paths,
  )
  const trick = fc.constantFrom(
    '',
    '/',
    '//',
    '/..',
    '/../',
    '/%2e%2e/',
    '/%2f',
    '/%00',
    '/%',
    '/%zz',
    '/%ff%fe',
    '/%ed%a0%80',
    ';a=b',
    '/.',
    '?',
    '?%',
    '#x',
    '/__proto__',
    '/constructor',
    `/${'a'.repeat(5000)}`,
    '/%F0%9F%98%BA',
    '/{x}',
    '/*',
    '\\..\\',
    '/a b',
  )
  const method = fc.constantFrom(
    'GET',
    'POST',
    'PUT',
    'DELETE',
    'PATCH',
    'HEAD',
    'OPTIONS',
    'PROPFIND',
    'M-SEARCH',
  )
  return fc
    .tuple(method, base, trick, extras, bodyText(hostile))
    .map(([method, path, trick, extra, body]) => {
      const content = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? undefined : body
      const at = `${path}${trick}`.replace(/[^\x21-\x7e]/g, '%20')
      return { request: { method, path: at, headers: toHeaders(extra, content), body: content }, rpc: false }
    })
}

/** Bytes that are HTTP in part, or not at all. */
const rawBytes: fc.Arbitrary<Wish> = fc
  .tuple(
    fc.constantFrom(
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n',
      'GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      'POST /cat/api/pet HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"a',
      'POST /cat/api/pet HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n',
      'POST /cat/api/pet HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n a: b\r\nBad Header: x\r\n\r\n',
      'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      'GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
    ),
    fc.uint8Array({ maxLength: 30 }),
    fc.nat(4),
  )
  .map(([text, noise, way]) => {
    const bytes = Buffer.from(text, 'latin1')
    const raw = way === 0 ? Buffer.concat([bytes, noise]) : way === 1 ? Buffer.concat([noise, bytes]) : bytes
    return { request: { method: 'RAW', path: '', headers: {}, body: raw }, rpc: false, raw }
  })

/** Any request that somebody could send to a server with these services. */
export const anyRequest = (every: readonly ServiceFacts[]): fc.Arbitrary<Wish> =>
  fc.oneof(
    { weight: 40, arbitrary: fc.oneof(...every.map(restCalls)) },
    { weight: 25, arbitrary: fc.oneof(...every.map(mcpCalls)) },
    { weight: 25, arbitrary: fc.oneof(...every.map(a2aCalls)) },
    { weight: 8, arbitrary: strays(every) },
    { weight: 2, arbitrary: rawBytes },
  )
