import type { RpcCall } from '../mcp/kernel/endpoint.ts'
import { type Failure, PaymentRequired, rpcCode, ToolError } from '../mcp/kernel/error.ts'
import type { Response } from '../mcp/kernel/http.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { json, send } from './send.ts'

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw new ToolError('malformed', 'The body is not valid JSON.')
  }
}

const isId = (id: unknown): id is RpcCall['id'] =>
  id === undefined || id === null || (typeof id === 'string' && id.length <= 256) || Number.isSafeInteger(id)

/** One JSON-RPC 2.0 call. Throws `malformed` for anything else; a batch is refused, since one payment pays one call. */
export const parseRpc = (bytes: Uint8Array): RpcCall => {
  const value = parse(bytes)
  if (Array.isArray(value))
    throw new ToolError('malformed', 'Batches are not taken here.', { hint: 'Send one call at a time.' })
  if (!isRecord(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string' || !isId(value.id))
    throw new ToolError('malformed', 'The body is not a JSON-RPC 2.0 call.', {
      hint: 'Send an object with "jsonrpc": "2.0", "id", "method" and "params".',
    })
  return { id: value.id, method: value.method.slice(0, 200), params: value.params }
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

/** Answers with a JSON-RPC error whose `data` is the problem; a price is asked for in headers and data as over REST. */
export const refuseRpc = (res: Response, error: ToolError, id: RpcCall['id']): void => {
  const parts = error instanceof PaymentRequired ? error.parts : undefined
  const data = { ...error.toProblem(), ...parts?.body }
  const code = error.code === 'not_found' ? -32601 : rpcCode(error.code)
  const reply = { jsonrpc: '2.0', id: id ?? null, error: { code, message: error.message, data } }
  const challenges = parts?.challenges ?? []
  send(res, onHttp.includes(error.code) ? error.status : 200, json, JSON.stringify(reply), {
    ...error.headers,
    ...parts?.headers,
    ...error.extra.parts?.headers,
    ...(challenges.length > 0 && { 'WWW-Authenticate': challenges.join(', ') }),
  })
}
