import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import type { AnyEndpoint } from '../../mcp/kernel/endpoint.ts'
import { PaymentPending } from '../../mcp/kernel/error.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { hints, serviceWith } from '../call/fixture.ts'
import { opened } from '../opened.ts'
import { checkOf, expectDescribed, type OpenApi, openApiAt } from './conformance.ts'
import { fixtureWith, hook, paidRpc, rpc, tile, upload, whoami } from './endpoint-fixture.ts'
import { dear, echo, patient } from './fixture.ts'
import { post, type Served, serve } from './server.ts'

type Tree = { name: string; children: Tree[] }
const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(Tree) }))

/** Its schemas refer to themselves. */
const grow = tool({
  name: 'grow',
  title: 'Grow',
  description: 'Answers with the tree it was given.',
  input: z.object({ tree: Tree.describe('A tree'), pattern: z.string().describe('Any'), format: z.email() }),
  output: z.object({ tree: Tree, at: z.iso.datetime(), page: z.url(), host: z.hostname() }),
  needs: [],
  price: free,
  auth: ['bearer', 'apiKey'],
  hints,
  rest: { routes: ['PUT /trees/:pattern', 'PATCH /trees/:format'] },
  examples: [{ tree: { name: 'a', children: [] }, pattern: 'x', format: 'a@example.com' }],
}).run(async (_, { tree }) => ({ tree, at: '2026-01-01T00:00:00Z', page: 'https://a.example', host: 'a' }))

const fixture = serviceWith(echo, dear, patient().slow, grow)

const served = opened(() => serve([...services, fixture]))

const every = [...services, fixture].map(service => ({ slug: service.slug, service }))

type Operation = {
  operationId: string
  parameters?: { name?: string; in?: string; $ref?: string; required?: boolean; content?: object }[]
  requestBody?: {
    content: { 'application/json': { schema: object; examples: Record<string, { value: object }> } }
  }
  responses: Record<string, { $ref?: string }>
  security: object[]
}

const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      place: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      operation: operation as unknown as Operation,
    })),
  )

describe.each(every)('the OpenAPI description of $slug', ({ slug, service }) => {
  let described: OpenApi
  beforeAll(async () => {
    described = await openApiAt(`${served.url}/${slug}`)
  })

  test('is valid OpenAPI 3.1 with references that lead somewhere', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(described) as never)
    expect(errors).toBeUndefined()
    expect([valid, validator.version]).toEqual([true, '3.1'])
    for (const [, at = ''] of JSON.stringify(described).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = at
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], described)
      expect(target, at).toBeDefined()
    }
  })

  test('names every route and mirror, once', () => {
    const operations = operationsOf(described)
    const places = operations.map(({ place }) => place)
    for (const { name } of service.tools) expect(places).toContain(`POST /tools/${name}`)
    const routes = service.tools.flatMap(({ rest }) => rest?.routes ?? [])
    for (const { method, path } of service.endpoints ?? []) expect(places).toContain(`${method} ${path}`)
    expect(operations.filter(({ place }) => !place.startsWith('POST /tools/')).length).toBe(
      routes.length + (service.documents?.length ?? 0) + (service.endpoints?.length ?? 0),
    )
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('says where and which version it is', () => {
    expect(described.servers).toEqual([{ url: `${served.url}/${slug}` }])
    expect(described.info.version).toBe(service.version)
    const named = operationsOf(described).flatMap(({ operation }) => operation.security.flatMap(Object.keys))
    expect(new Set(Object.keys(described.components.securitySchemes ?? {}))).toEqual(new Set(named))
  })

  test('has examples that fit their schemas', () => {
    for (const { place, operation } of operationsOf(described)) {
      const content = operation.requestBody?.content['application/json']
      if (!content) continue
      const check = checkOf(described, content.schema)
      // An endpoint that reads a raw body has none.
      for (const { value } of Object.values(content.examples ?? {}))
        expect(check(value), `${place}: ${JSON.stringify(check.errors)}`).toBe(true)
    }
  })
})

describe('an operation', () => {
  let operations: Map<string, Operation & Record<string, unknown>>
  let text: string
  beforeAll(async () => {
    const described = await openApiAt(`${served.url}/fixture`)
    text = JSON.stringify(described)
    operations = new Map(
      operationsOf(described).map(({ place, operation }) => [
        place,
        operation as Operation & Record<string, unknown>,
      ]),
    )
  })

  const parameters = (place: string) =>
    (operations.get(place)?.parameters ?? []).map(({ name, in: at, $ref, required }) =>
      $ref ? $ref.split('/').at(-1) : `${at} ${name}${required ? '!' : ''}`,
    )

  test('of a GET has its fields as parameters', () => {
    expect(parameters('GET /echo/:id').slice(0, 3)).toEqual(['path id!', 'query ratio', 'query on'])
    expect(parameters('GET /pair/:size-:text').slice(0, 2)).toEqual(['path size!', 'path text!'])
    const box = operations.get('GET /echo')?.parameters?.find(({ name }) => name === 'box')
    expect(box?.content).toHaveProperty(['application/json'])
  })

  test('takes Idempotency-Key unless it is idempotent, and a payment where it has a price', () => {
    expect(parameters('GET /dear')).toEqual([
      'query what',
      'query free',
      'IdempotencyKey',
      'PaymentSignature',
    ])
    expect(parameters('POST /tools/slow')).toEqual(['IdempotencyKey'])
    expect(parameters('POST /tools/echo')).toEqual([])
  })

  test('has its price, and only where there is one', () => {
    expect(operations.get('POST /dear')?.['x-payment-info']).toEqual({
      price: { mode: 'fixed', currency: 'USD', amount: '0.10' },
      network: 'base',
      protocols: [{ x402: {} }],
      freeTier: { flag: true, perMinute: 2 },
    })
    expect(operations.get('GET /echo')).not.toHaveProperty('x-payment-info')
  })

  test('lists the failures that may come', () => {
    const statuses = (place: string) => Object.keys(operations.get(place)?.responses ?? {})
    expect(statuses('GET /echo')).toEqual(['200', '401', '403', '422', '429', '500', '504', 'default'])
    expect(statuses('POST /dear')).toEqual([
      '200',
      '201',
      '202',
      '400',
      '401',
      '402',
      '403',
      '404',
      '409',
      '410',
      '413',
      '415',
      '422',
      '428',
      '429',
      '500',
      '503',
      '504',
      'default',
    ])
  })

  test('tells a buyer of the quote and of a payment that is being confirmed, and nobody else', () => {
    const responses = operations.get('POST /tools/dear')?.responses
    expect(responses?.['202']).toEqual({ $ref: '#/components/responses/payment_pending' })
    expect(responses?.['402']).toEqual({ $ref: '#/components/responses/payment_required' })
    expect(operations.get('GET /echo')?.responses).not.toHaveProperty('202')
    const { payment_pending, payment_required } = JSON.parse(text).components.responses
    expect(payment_pending).toMatchObject({
      headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    })
    expect(payment_required).toMatchObject({
      headers: { 'PAYMENT-REQUIRED': { $ref: '#/components/headers/PaymentRequired' } },
      content: {
        'application/problem+json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              { $ref: '#/components/schemas/PaymentRequired' },
            ],
          },
        },
      },
    })
  })

  test('leaves out of the body what the path says, and shares a path with its sibling', () => {
    const put = operations.get('PUT /trees/:pattern')?.requestBody?.content['application/json']
    expect(put?.examples.example1?.value).not.toHaveProperty('pattern')
    expect(put?.schema).toMatchObject({ required: ['tree', 'format'] })
    expect(operations.has('PATCH /trees/:pattern')).toBe(true)
  })

  test('asks for one of the credentials of its tool', () => {
    expect(operations.get('POST /tools/grow')?.security).toEqual([{ bearer: [] }, { apiKey: [] }])
    expect(operations.get('GET /echo')?.security).toEqual([{}])
  })

  test('is spared the patterns that a format implies, but not fields of that name', () => {
    expect(text).not.toMatch(/"pattern":"[^"]{100}/)
    expect(text).toContain('"pattern":{')
    expect(text).toContain('"format":"date-time"')
  })
})

test('the description is the same bytes each time', async () => {
  const read = async () => (await fetch(`${served.url}/cat/openapi.json`)).text()
  expect(await read()).toBe(await read())
})

test('a payment that is being confirmed is answered as described', async () => {
  const gate = {
    members: ['x402/payment', 'x402.payment.payload'],
    extensions: [],
    isPayable: () => true,
    findQuote: async () => undefined,
    findPayment: async () => undefined,
    hasPayment: () => true,
    calls: { keep: async () => 'h'.repeat(43), find: async () => undefined },
    async charge(): Promise<never> {
      const payment = { network: 'eip155:8453', transaction: '0xabc' }
      const pending = new PaymentPending(payment, undefined, 'record')
      pending.extra.parts = x402.report(pending.extra.payment ?? {})
      throw pending
    },
  }
  const slow = await serve([fixture], { gate })
  try {
    const described = await openApiAt(`${slow.url}/fixture`)
    const response = await post(`${slow.url}/fixture/tools/dear`, {}, { 'PAYMENT-SIGNATURE': 'x' })
    expect(response.status).toBe(202)
    const answer = described.paths['/tools/dear']?.post?.responses['202']
    const listed = described.components.responses[answer?.$ref?.split('/').at(-1) ?? '']
    for (const name of Object.keys(listed?.headers ?? {})) expect(response.headers.has(name), name).toBe(true)
    expect(listed?.headers).toHaveProperty(['Retry-After'])
    expect(await expectDescribed(described, 'POST', response)).toMatchObject({ code: 'payment_pending' })
  } finally {
    await slow.stop()
  }
})

describe('an endpoint', () => {
  const events: AnyEndpoint = { ...tile, name: 'events', path: '/events', answers: ['text/event-stream'] }
  const described = fixtureWith(
    hook as AnyEndpoint,
    whoami as AnyEndpoint,
    upload as AnyEndpoint,
    { ...tile, answers: ['image/png'] },
    events,
    rpc,
    paidRpc,
  )
  let one: Served
  let api: OpenApi
  let operations: Map<string, Operation & Record<string, unknown>>
  beforeAll(async () => {
    one = await serve([described])
    api = await openApiAt(`${one.url}/fixture`)
    operations = new Map(
      operationsOf(api).map(({ place, operation }) => [
        place,
        operation as Operation & Record<string, unknown>,
      ]),
    )
  })
  afterAll(() => one.stop())

  const contentOf = (answer: unknown) => Object.keys((answer as { content?: object }).content ?? {})

  test('is described in valid OpenAPI 3.1 whose references lead somewhere', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(api) as never)
    expect([valid, errors]).toEqual([true, undefined])
    for (const [, at = ''] of JSON.stringify(api).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = at
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], api)
      expect(target, at).toBeDefined()
    }
  })

  test('has its method, path, texts, params and body', () => {
    const operation = operations.get('POST /hooks/:source')
    expect(operation).toMatchObject({
      operationId: 'endpoint_hook',
      summary: 'Webhook',
      description: 'Takes a signed event.',
      tags: ['endpoints'],
      security: [{}],
    })
    expect(operation?.parameters?.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1))).toEqual([
      'source',
      'IdempotencyKey',
    ])
    expect(contentOf(operation?.requestBody)).toEqual(['application/json', 'text/plain'])
    expect(operation?.requestBody).toHaveProperty('description', 'At most 1000 bytes.')
    expect(operations.get('PUT /signed')?.security).toEqual([{ apiKey: [] }])
    expect(operations.get('GET /tiles/:z')).not.toHaveProperty('requestBody')
  })

  test('answers with bytes and parts of them, with events, or with JSON-RPC', () => {
    const bytes = operations.get('GET /tiles/:z')?.responses ?? {}
    expect([contentOf(bytes['200']), contentOf(bytes['206'])]).toEqual([['image/png'], ['image/png']])
    expect(Object.keys(bytes)).toEqual(expect.arrayContaining(['304', '416', '429', '500', '504']))
    const events = operations.get('GET /events')
    expect(contentOf(events?.responses['200'])).toEqual(['text/event-stream'])
    expect(events?.responses).not.toHaveProperty('206')
    expect(events?.parameters?.some(({ name }) => name === 'Last-Event-ID')).toBe(true)
    const call = operations.get('POST /rpc')
    expect([contentOf(call?.responses['200']), contentOf(call?.responses.default)]).toEqual([
      ['application/json'],
      ['application/json'],
    ])
  })

  test('has its price where it has one', () => {
    expect(operations.get('POST /paid-rpc')?.['x-payment-info']).toEqual({
      price: { mode: 'fixed', currency: 'USD', amount: '0.10' },
      network: 'base-sepolia',
      protocols: [{ x402: {} }],
    })
    expect(operations.get('POST /rpc')).not.toHaveProperty('x-payment-info')
  })

  test('of JSON-RPC answers as it is described, a call and its failures', async () => {
    const ask = (body: unknown, path = 'rpc') => post(`${one.url}/fixture/${path}`, body)
    await expectDescribed(api, 'POST', await ask({ jsonrpc: '2.0', id: 1, method: 'echo', params: [1] }))
    await expectDescribed(api, 'POST', await ask({ jsonrpc: '2.0', id: 1, method: 'nothing' }))
    await expectDescribed(api, 'POST', await ask('{'))
    await expectDescribed(api, 'POST', await ask({ jsonrpc: '2.0', id: 1, method: 'echo' }, 'paid-rpc'))
    const large = await ask(`"${'x'.repeat(1 << 20)}"`)
    expect(large.status).toBe(413)
    await expectDescribed(api, 'POST', large)
  })
})
