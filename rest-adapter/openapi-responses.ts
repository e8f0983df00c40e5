import { type Failure, failures } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, isPriced } from '../mcp/kernel/tool.ts'

const text = { type: 'string' }
const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const Problem = {
  type: 'object',
  description: 'A failure (RFC 9457).',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Leads to what the code means' },
    title: { ...text, description: 'The code in words' },
    status: { type: 'integer', description: 'The HTTP status' },
    code: { type: 'string', enum: Object.keys(failures), description: 'What went wrong' },
    detail: { ...text, description: 'What went wrong with this call' },
    retryable: { type: 'boolean', description: 'Whether the same call may work later' },
    charged: { type: 'boolean', description: 'Whether money was taken for the call that failed' },
    reason: { ...text, description: 'A finer code of the service' },
    hint: { ...text, description: 'What to do about it' },
    params: { type: 'object', description: 'What a program needs to go on' },
    issues: {
      type: 'array',
      description: 'Everything that is wrong with the input',
      items: {
        type: 'object',
        properties: { path: { ...text, description: 'Dotted; empty for the whole input' }, message: text },
        required: ['path', 'message'],
      },
    },
    ref: { ...text, description: 'Names this failure to the operator' },
  },
  required: ['type', 'title', 'status', 'code', 'detail', 'retryable'],
}

const PaymentRequired = {
  type: 'object',
  description:
    'Pay one of the offers and repeat the call with PAYMENT-SIGNATURE, or X-PAYMENT in x402 version 1, or Authorization: Payment.',
  properties: {
    x402Version: {
      type: 'integer',
      const: 1,
      description: 'With error and accepts: an x402 version 1 quote',
    },
    error: text,
    accepts: { type: 'array', items: { type: 'object' } },
    paymentRequired: {
      type: 'object',
      description: 'An x402 version 2 quote, the same as in the header PAYMENT-REQUIRED',
      properties: {
        x402Version: { type: 'integer' },
        error: text,
        resource: { type: 'object' },
        accepts: { type: 'array', items: { type: 'object' } },
        extensions: { type: 'object' },
      },
    },
  },
}

const header = (description: string) => ({ description, schema: text })

const headers = {
  RateLimit: header('What remains of the policy and seconds until it is renewed: "default";r=599;t=42'),
  RateLimitPolicy: header('Calls a client may make and in how many seconds: "default";q=600;w=60'),
  Location: header('Where the answer is collected by GET, without the payment'),
  RetryAfter: header('Seconds after which a retry makes sense'),
  IdempotencyReplayed: header('"true" when this is the answer of an earlier call with the same key'),
  PaymentRequired: header('The x402 quote of the body, as base64 of its JSON'),
  PaymentResponse: header('The receipt, or what became of the payment, as base64 of its JSON'),
  Allow: header('The methods that the path answers'),
  WwwAuthenticate: header('How to prove who is calling, or the challenges that a call can be paid by'),
}

const headersFor: Partial<Record<Failure, Record<string, object>>> = {
  unauthenticated: { 'WWW-Authenticate': ref('headers', 'WwwAuthenticate') },
  method_not_allowed: { Allow: ref('headers', 'Allow') },
  too_many_requests: {
    'Retry-After': ref('headers', 'RetryAfter'),
    RateLimit: ref('headers', 'RateLimit'),
  },
  payment_pending: {
    Location: ref('headers', 'Location'),
    'Retry-After': ref('headers', 'RetryAfter'),
    'PAYMENT-RESPONSE': ref('headers', 'PaymentResponse'),
  },
  payment_required: { 'PAYMENT-REQUIRED': ref('headers', 'PaymentRequired') },
}

const contentFor = (code: Failure) =>
  code === 'payment_required'
    ? {
        'application/problem+json': {
          schema: { allOf: [ref('schemas', 'Problem'), ref('schemas', 'PaymentRequired')] },
        },
      }
    : { 'application/problem+json': { schema: ref('schemas', 'Problem') } }

const responseFor = (code: Failure) => ({
  description: failures[code].title,
  ...(headersFor[code] && { headers: headersFor[code] }),
  content: contentFor(code),
})

/** Common parts of all service descriptions: the failures, their headers, and the problem schema. */
export const sharedComponents = {
  schemas: { Problem, PaymentRequired },
  headers,
  responses: {
    ...Object.fromEntries((Object.keys(failures) as Failure[]).map(code => [code, responseFor(code)])),
    failure: { description: 'Any other failure', content: contentFor('internal') },
  },
}

const listFailures = (service: Service, tool: AnyTool, hasBody: boolean, hasParams: boolean): Failure[] => {
  const when = (condition: boolean, ...codes: Failure[]) => (condition ? codes : [])
  const priced = isPriced(tool)
  /** It works on more than its input: a store, a ledger, a chain, which may be in another state than the caller thinks. */
  const hasState = tool.needs.length > 0
  return [
    ...when(hasBody || hasParams, 'malformed'),
    // A credential that is no good is refused, whatever is asked.
    'unauthenticated',
    ...when(priced, 'payment_pending'),
    ...when(priced || tool.needs.includes('purchases'), 'payment_required'),
    // A page of a foreign origin is refused before any tool is asked.
    'forbidden',
    ...when(hasParams || hasState || tool.hints.openWorld, 'not_found'),
    ...when(hasState || tool.hints.openWorld, 'gone'),
    ...when(!tool.hints.idempotent || priced || hasState, 'conflict'),
    ...when(hasState && service.identify !== undefined, 'precondition_required'),
    ...when(hasBody, 'too_large', 'unsupported_media'),
    'invalid_input',
    'too_many_requests',
    'internal',
    ...when(tool.hints.openWorld, 'upstream'),
    ...when(hasState || priced, 'unavailable'),
    'timeout',
  ]
}

/** Every failure that may come of one operation, by its status. */
export const buildFailures = (service: Service, tool: AnyTool, hasBody: boolean, hasParams: boolean) => ({
  ...Object.fromEntries(
    listFailures(service, tool, hasBody, hasParams).map(code => [
      failures[code].status,
      ref('responses', code),
    ]),
  ),
  default: ref('responses', 'failure'),
})

/** The responses of one operation: its success, and every failure that may come. */
export const buildResponses = (service: Service, tool: AnyTool, hasBody: boolean, hasParams: boolean) => {
  const success = buildSuccess(tool)
  return {
    ...buildFailures(service, tool, hasBody, hasParams),
    [String(tool.rest?.status ?? 200)]: success,
    // A dry run makes nothing, and neither does the answer of before: they are never 201.
    200: success,
  }
}

const buildSuccess = (tool: AnyTool) => ({
  description: tool.title,
  headers: {
    RateLimit: ref('headers', 'RateLimit'),
    'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
    ...(!tool.hints.idempotent && { 'Idempotency-Replayed': ref('headers', 'IdempotencyReplayed') }),
    ...(isPriced(tool) && { 'PAYMENT-RESPONSE': ref('headers', 'PaymentResponse') }),
  },
  content: { 'application/json': { schema: ref('schemas', `${tool.name}.output`) } },
})
