import { asRecord, isRecord, type JsonRecord, parseJson } from '../mcp/lib/json.ts'

/** The id of a JSON-RPC request. */
export type Id = string | number

/** One JSON-RPC 2.0 message, as far as it must be read to be passed on. */
export type Message = JsonRecord & { jsonrpc: '2.0' }

export type Request = Message & { id: Id; method: string; params?: JsonRecord }

/** A message and the line that it came in; the line is absent where it must be written anew. */
export type Line = { message: Message; text?: string | undefined }

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

const isMessage = (value: unknown): value is Message => isRecord(value) && value.jsonrpc === '2.0'

export const isRequest = (message: Message): message is Request =>
  typeof message.method === 'string' &&
  isId(message.id) &&
  (message.params === undefined || isRecord(message.params))

/** True for the answer to a request: it has an id, no method, and a result or an error. */
export const isResponse = (message: Message): message is Message & { id: Id } =>
  message.method === undefined && isId(message.id) && ('result' in message || 'error' in message)

export const paramsOf = (message: Message): Readonly<JsonRecord> => asRecord(message.params)

export const metaOf = (message: Message): Readonly<JsonRecord> => asRecord(paramsOf(message)._meta)

/** The version that a message of the stateless era names in itself (2026-07-28 and later); undefined in the era of sessions. */
export const claimedVersion = (message: Message): string | undefined => {
  const version = metaOf(message)[versionKey]
  return typeof version === 'string' ? version : undefined
}

/** Client capabilities that a stateless message claims. */
export const claimedCapabilities = (message: Message): Readonly<JsonRecord> =>
  asRecord(metaOf(message)[capabilitiesKey])

/** The messages of a JSON text: one, or each of a batch. Undefined for what holds anything else. */
export const parseMessages = (text: string): Line[] | undefined => {
  const value = parseJson(text)
  if (isMessage(value)) return [{ message: value, text: /[\r\n]/.test(text) ? undefined : text }]
  if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) return undefined
  return value.map(message => ({ message }))
}

export const toText = ({ message, text }: Line): string => text ?? JSON.stringify(message)

/** A failure as JSON-RPC has it; codes are -31000 less the HTTP status that says the same. */
export const failure = (id: Id | null, status: number, message: string): Line => ({
  message: { jsonrpc: '2.0', id, error: { code: -31000 - status, message } },
})

/** A failure with a code of JSON-RPC's own. */
export const protocolError = (id: Id | null, code: -32700 | -32600, message: string): Line => ({
  message: { jsonrpc: '2.0', id, error: { code, message } },
})
