import { asRecord, isRecord, type JsonRecord, parseJson } from '../mcp/lib/json.ts'

/** The id of a JSON-RPC request. */
export type RequestId = string | number

/** One JSON-RPC 2.0 message, as far as it must be read to be passed on. */
export type RpcMessage = JsonRecord & { jsonrpc: '2.0' }

export type RpcRequest = RpcMessage & { id: RequestId; method: string; params?: JsonRecord }

/** A message and the line that it came in; the line is absent where it must be written anew. */
export type Line = { message: RpcMessage; text?: string | undefined }

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

const isMessage = (value: unknown): value is RpcMessage => isRecord(value) && value.jsonrpc === '2.0'

export const isRequest = (message: RpcMessage): message is RpcRequest =>
  typeof message.method === 'string' &&
  isId(message.id) &&
  (message.params === undefined || isRecord(message.params))

/** True for the answer to a request: it has an id, no method, and a result or an error. */
export const isResponse = (message: RpcMessage): message is RpcMessage & { id: RequestId } =>
  message.method === undefined && isId(message.id) && ('result' in message || 'error' in message)

export const paramsOf = (message: RpcMessage): Readonly<JsonRecord> => asRecord(message.params)

export const metaOf = (message: RpcMessage): Readonly<JsonRecord> => asRecord(paramsOf(message)._meta)

/** The version that a message of the stateless era names in itself (2026-07-28 and later); undefined in the era of sessions. */
export const claimedVersion = (message: RpcMessage): string | undefined => {
  const version = metaOf(message)[versionKey]
  return typeof version === 'string' ? version : undefined
}

/** Client capabilities that a stateless message claims. */
export const claimedCapabilities = (message: RpcMessage): Readonly<JsonRecord> =>
  asRecord(metaOf(message)[capabilitiesKey])

/** The messages of a JSON text: one, or each of a batch. Undefined for what holds anything else. */
export const parseMessages = (text: string): Line[] | undefined => {
  const value = parseJson(text)
  if (isMessage(value)) return [{ message: value, text: /[\r\n]/.test(text) ? undefined : text }]
  if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) return undefined
  return value.map(message => ({ message }))
}

export const formatLine = ({ message, text }: Line): string => text ?? JSON.stringify(message)

/** A failure as JSON-RPC has it; codes are -31000 less the HTTP status that says the same. */
export const failure = (id: RequestId | null, status: number, message: string): Line => ({
  message: { jsonrpc: '2.0', id, error: { code: -31000 - status, message } },
})

/** A failure with a code of JSON-RPC's own. */
export const protocolError = (id: RequestId | null, code: -32700 | -32600, message: string): Line => ({
  message: { jsonrpc: '2.0', id, error: { code, message } },
})
