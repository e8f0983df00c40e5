import { toolFor } from '../mcp/kernel/call-endpoint.ts'
import type { AnyEndpoint, BodyKind } from '../mcp/kernel/endpoint.ts'
import { bodyLimit } from '../mcp/kernel/http.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, isPriced } from '../mcp/kernel/tool.ts'
import { paymentInfo } from './openapi-operation.ts'
import { buildFailures } from './openapi-responses.ts'
import { buildSecurity } from './openapi-security.ts'

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const rpcId = {
  type: ['string', 'integer', 'null'],
  description: 'Left out by a notification, which is answered with 204',
}

const rpcCall = {
  type: 'object',
  description: 'One JSON-RPC 2.0 call; batches are refused.',
  properties: {
    jsonrpc: { const: '2.0' },
    id: rpcId,
    method: { type: 'string' },
    params: { type: ['object', 'array'] },
  },
  required: ['jsonrpc', 'method'],
}

const rpcAnswer = {
  type: 'object',
  description: 'The result, or an error whose `data` is the problem.',
  properties: {
    jsonrpc: { const: '2.0' },
    id: rpcId,
    result: {},
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: ref('schemas', 'Problem') },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'id'],
}

const binary = { description: 'Bytes as they are' }

const requestBody = ({ body, accepts, maxBytes = bodyLimit }: AnyEndpoint) => {
  if (body === 'none') return {}
  const schema = body === 'json-rpc' ? rpcCall : binary
  const types = accepts ?? [body === 'json-rpc' ? 'application/json' : '*/*']
  return {
    requestBody: {
      description: `At most ${maxBytes} bytes.`,
      required: body === 'json-rpc',
      content: Object.fromEntries(types.map(type => [type, { schema }])),
    },
  }
}

const answerTypes = ({ body, answers }: AnyEndpoint): readonly string[] =>
  answers ?? [body === 'json-rpc' ? 'application/json' : '*/*']

const schemaFor = (body: BodyKind, type: string): object => {
  if (body === 'json-rpc') return rpcAnswer
  if (type === 'text/event-stream')
    return { type: 'string', description: 'Server-sent events; Last-Event-ID goes on after the last one' }
  return type === 'application/json' ? { type: 'object' } : binary
}

const buildResponses = (endpoint: AnyEndpoint, isPaid: boolean) => {
  const headers = {
    RateLimit: ref('headers', 'RateLimit'),
    'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
    ...(endpoint.method !== 'GET' && { 'Idempotency-Replayed': ref('headers', 'IdempotencyReplayed') }),
    ...(isPaid && { 'PAYMENT-RESPONSE': ref('headers', 'PaymentResponse') }),
  }
  const types = answerTypes(endpoint)
  const content = Object.fromEntries(types.map(type => [type, { schema: schemaFor(endpoint.body, type) }]))
  const isBytes = types.some(type => type !== 'application/json' && type !== 'text/event-stream')
  return {
    '200': { description: endpoint.title, headers, ...(types.length > 0 && { content }) },
    ...((endpoint.body === 'json-rpc' || types.length === 0) && {
      '204': { description: 'Done; there is nothing to say' },
    }),
    ...(endpoint.method === 'GET' &&
      isBytes && {
        '206': { description: 'The bytes that `Range` asks for', headers, content },
        '304': { description: 'The validator of `If-None-Match` still holds' },
        '416': {
          description: 'There are no such bytes',
          content: { 'application/problem+json': { schema: ref('schemas', 'Problem') } },
        },
      }),
  }
}

const buildParameters = (endpoint: AnyEndpoint, params: readonly string[], isPaid: boolean): object[] => [
  ...params.map(name => ({
    name,
    in: 'path',
    description: name,
    required: true,
    schema: { type: 'string' },
  })),
  ...(answerTypes(endpoint).includes('text/event-stream')
    ? [
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The id of the last event that the client has',
          schema: { type: 'string' },
        },
      ]
    : []),
  ...(endpoint.method === 'GET' ? [] : [ref('parameters', 'IdempotencyKey')]),
  ...(isPaid ? [ref('parameters', 'PaymentSignature')] : []),
]

/** Clients of JSON-RPC read its errors at every status; the headers are those of the problem. */
const rpcFailures = (tool: AnyTool) => {
  const isPaid = isPriced(tool)
  const failure = (description: string, headers?: object) => ({
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema: rpcAnswer } },
  })
  const retry = { 'Retry-After': ref('headers', 'RetryAfter') }
  return {
    '401': failure('A credential is required, or is no good', {
      'WWW-Authenticate': ref('headers', 'WwwAuthenticate'),
    }),
    ...(isPaid && {
      '202': failure('The payment is being confirmed', retry),
      '402': failure('Payment is required', { 'PAYMENT-REQUIRED': ref('headers', 'PaymentRequired') }),
    }),
    '413': failure('The request is too large'),
    '415': failure('This media type is not accepted'),
    '429': failure('The limit is reached', retry),
    '503': failure('This is not available here now'),
    default: failure('Any other failure'),
  }
}

/** One operation of an OpenAPI description: an endpoint at its place. Its failures are problems, or errors of JSON-RPC. */
export const endpointOperation = (
  service: Service,
  endpoint: AnyEndpoint,
  params: readonly string[],
): object => {
  const tool = toolFor(endpoint)
  const hasBody = endpoint.body !== 'none'
  const isPaid = isPriced(tool)
  const parameters = buildParameters(endpoint, params, isPaid)
  return {
    operationId: `endpoint_${endpoint.name}`,
    summary: endpoint.title,
    description: endpoint.description,
    tags: ['endpoints'],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(endpoint),
    responses: {
      ...(endpoint.body === 'json-rpc'
        ? rpcFailures(tool)
        : buildFailures(service, tool, hasBody, params.length > 0)),
      ...buildResponses(endpoint, isPaid),
      ...(endpoint.visit && {
        '303': { description: 'Done; to the page that shows it' },
        '307': { description: 'To the same page where people are signed in' },
      }),
    },
    security: buildSecurity(service, tool),
    ...paymentInfo(tool),
  }
}
