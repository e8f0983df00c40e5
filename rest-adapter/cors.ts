import type { Response } from '../mcp/kernel/http.ts'

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
].join(', ')

const responseHeaders = [
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

/** Lets a page at `origin` ("*" for all) read this response. */
export const allowOrigin = (res: Response, origin: string): void => {
  res.setHeader('Access-Control-Allow-Origin', origin)
  res.setHeader('Access-Control-Expose-Headers', responseHeaders)
}

/** Tells a preflight which request headers may come; `Mcp-Param-*` names are free, so those asked for are repeated. */
export const allowHeaders = (res: Response, requestedHeaders: string): void => {
  res.setHeader('Access-Control-Allow-Headers', [requestHeaders, ...mcpParams(requestedHeaders)].join(', '))
  res.setHeader('Access-Control-Max-Age', '7200')
}
