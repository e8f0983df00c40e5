import type { RpcCall } from '../mcp/kernel/endpoint.ts'
import { type Failure, PaymentRequired, rpcCode, ToolError } from '../mcp/kernel/error.ts'
import { type Request, type Response, requestIdOf, siteOf } from '../mcp/kernel/http.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { json, send, sendEmpty } from './send.ts'

const isJson = /^\s*application\/(?:json|[\w.-]+\+json|json-rpc)\s*(?:;\s*charset="?utf-?8"?\s*)?$/i

/** Throws `unsupported_media` for a body that says it is anything but plain JSON in UTF-8. */
export const checkRpcType = ({ headers }: Request): void => {
  const type = headers['content-type']
  if ((type === undefined || isJson.test(type)) && headers['content-encoding'] === undefined) return
  throw new ToolError(
    'unsupported_media',
    'The body of a JSON-RPC call is JSON in UTF-8, without an encoding.',
    {
      hint: 'Send the header Content-Type: application/json.',
    },
  )
}

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ToolError('malformed', 'The body is not valid JSON.', { reason: 'parse_error' })
  }
}

const isId = (id: unknown): id is RpcCall['id'] =>
  id === undefined ||
  id === null ||
  (typeof id === 'string' && id.length <= 256) ||
  (typeof id === 'number' && Number.isSafeInteger(id))

const isParams = (params: unknown): boolean =>
  params === undefined || Array.isArray(params) || isRecord(params)

/** One JSON-RPC 2.0 call. Throws `malformed` for anything else; a batch is refused, since one payment pays one call. */
export const parseRpc = (bytes: Uint8Array): RpcCall => {
  const value = parse(bytes)
  if (Array.isArray(value))
    throw new ToolError('malformed', 'Batches are not taken here.', { hint: 'Send one call at a time.' })
  if (
    !isRecord(value) ||
    value.jsonrpc !== '2.0' ||
    typeof value.method !== 'string' ||
    value.method.length > 200 ||
    !isParams(value.params) ||
    !isId(value.id)
  )
    throw new ToolError('malformed', 'The body is not a JSON-RPC 2.0 call.', {
      hint: 'Send an object with "jsonrpc": "2.0", "id" (text or a whole number), "method" and "params" (a list or an object).',
    })
  return { id: value.id, method: value.method, params: value.params }
}

/** Failures that clients of HTTP act upon keep their status; all others are answers of JSON-RPC. */
const onHttp: readonly Failure[] = [
  'payment_required',
  'payment_pending',
  'unauthenticated',
  'too_many_requests',
  'unavailable',
  'too_large',
  'unsupported_media',
]

const reasons: Readonly<Record<string, number>> = { parse_error: -32700, method_not_found: -32601 }

const toRpcCode = ({ code, extra }: ToolError): number => reasons[extra.reason ?? ''] ?? rpcCode(code)

/**
 * Answers with a JSON-RPC error whose `data` is the problem; a price is asked for in headers and data as over REST. `call` is
 * undefined where none was read. A notification is told nothing but what HTTP says.
 */
export const refuseRpc = (res: Response, error: ToolError, call: RpcCall | undefined): void => {
  const parts = error instanceof PaymentRequired ? error.parts : undefined
  const status = onHttp.includes(error.code) ? error.status : 200
  const challenges = parts?.challenges ?? []
  const headers = {
    ...error.headers,
    ...parts?.headers,
    ...error.extra.parts?.headers,
    ...(challenges.length > 0 && { 'WWW-Authenticate': challenges.join(', ') }),
  }
  if (call && call.id === undefined && status === 200) {
    sendEmpty(res, 204, headers)
    return
  }
  const data = { ...error.toProblem(siteOf(res), requestIdOf(res)), ...parts?.body }
  const reply = {
    jsonrpc: '2.0',
    id: call?.id ?? null,
    error: { code: toRpcCode(error), message: error.message, data },
  }
  send(res, status, json, JSON.stringify(reply), headers)
}
