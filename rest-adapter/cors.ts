const requestHeaders = [
  'content-type',
  'accept',
  'authorization',
  'idempotency-key',
  'x-api-key',
  'payment-signature',
  'x-payment',
  'accept-payment',
  'access-control-expose-headers',
  'signature',
  'signature-input',
  'content-digest',
  'last-event-id',
  'if-none-match',
  'range',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
  'x-request-id',
  'traceparent',
  'tracestate',
].join(', ')

const responseHeaders = [
  'x-request-id',
  'payment-required',
  'payment-response',
  'x-payment-response',
  'payment-receipt',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotency-replayed',
  'location',
  'etag',
  'allow',
  'location',
  'www-authenticate',
  'content-range',
  'accept-ranges',
  'content-disposition',
  'mcp-session-id',
  'mcp-protocol-version',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
].join(', ')

const mcpParams = (requestedHeaders: string): string[] =>
  requestedHeaders.toLowerCase().match(/\bmcp-param-[\w-]{1,64}/g) ?? []

/** Lets a page at `origin` ("*" for all) read the answer. */
export const originHeaders = (origin: string): readonly string[] => [
  'Access-Control-Allow-Origin',
  origin,
  'Access-Control-Expose-Headers',
  responseHeaders,
]

/** Tells a preflight which request headers may come; `Mcp-Param-*` names are free, so those asked for are repeated. */
export const preflightHeaders = (requestedHeaders: string): readonly string[] => [
  'Access-Control-Allow-Headers',
  [requestHeaders, ...mcpParams(requestedHeaders)].join(', '),
  'Access-Control-Max-Age',
  '7200',
]
