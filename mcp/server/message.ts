import { ToolError } from '../kernel/error.ts'
import { isRecord } from '../lib/json.ts'

type Fields = Readonly<Record<string, unknown>>

/** Characters that an id may have: it is repeated in each answer. */
const maxIdLength = 256

/** An id as JSON-RPC and both SDKs take it. */
export const isId = (id: unknown): id is string | number =>
  (typeof id === 'string' && id.length <= maxIdLength) || Number.isSafeInteger(id)

const hasOnly = (message: Fields, ...names: readonly string[]): boolean =>
  Object.keys(message).every(name => names.includes(name))

const isRequest = (message: Fields): boolean =>
  typeof message.method === 'string' &&
  (message.id === undefined || isId(message.id)) &&
  hasOnly(message, 'jsonrpc', 'id', 'method', 'params')

const isResponse = (message: Fields): boolean => {
  if (!isId(message.id)) return false
  if (isRecord(message.result)) return hasOnly(message, 'jsonrpc', 'id', 'result')
  const { error } = message
  return (
    isRecord(error) &&
    Number.isSafeInteger(error.code) &&
    typeof error.message === 'string' &&
    hasOnly(message, 'jsonrpc', 'id', 'error')
  )
}

const isMessage = (value: unknown): value is Fields =>
  isRecord(value) && value.jsonrpc === '2.0' && (isRequest(value) || isResponse(value))

const maxBatch = 100

/** True for a JSON-RPC 2.0 message, or a batch of them, as both SDKs read it. */
export const isMessageBody = (body: unknown): body is Fields | Fields[] =>
  Array.isArray(body)
    ? body.length > 0 && body.length <= maxBatch && body.every(isMessage)
    : isMessage(body)

/** Bytes of any message but a call: none of them needs more, and the SDKs name every part of one that is wrong. */
export const lightBytes = 65_536

export const isHeavy = (message: unknown): boolean =>
  isRecord(message) && message.method !== 'tools/call' && JSON.stringify(message).length > lightBytes

const taskKey = 'io.modelcontextprotocol/related-task'

const metaFault = (meta: unknown): string | undefined => {
  if (meta === undefined) return undefined
  if (!isRecord(meta)) return 'params._meta: must be an object.'
  const { progressToken: token, [taskKey]: task } = meta
  if (token !== undefined && !isId(token))
    return 'params._meta.progressToken: must be a string or an integer.'
  if (task !== undefined && !(isRecord(task) && typeof task.taskId === 'string'))
    return `params._meta.${taskKey}: must be an object with a taskId.`
  return undefined
}

const paramsFault = ({ params }: Fields): string | undefined => {
  if (params === undefined) return undefined
  return isRecord(params) ? metaFault(params._meta) : 'params: must be an object with named fields.'
}

/** The refusal of params that no method takes; undefined when they may pass. In a batch the first wrong message is named. */
export const refusedParams = (body: Fields | Fields[]): ToolError | undefined => {
  if (!Array.isArray(body)) {
    const fault = paramsFault(body)
    return fault === undefined ? undefined : new ToolError('malformed', fault)
  }
  for (const [at, message] of body.entries()) {
    const fault = paramsFault(message)
    if (fault !== undefined) return new ToolError('malformed', `Message ${at + 1} of the batch: ${fault}`)
  }
  return undefined
}

type Issue = { path: readonly unknown[]; message: string }

const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && Array.isArray(value.path) && typeof value.message === 'string'

/** The issues of a validator that an SDK wrote into the message of an error, as JSON with or without words before it. */
const issuesIn = (text: string): Issue[] => {
  const start = text.indexOf('[')
  if (start < 0) return []
  try {
    const issues: unknown = JSON.parse(text.slice(start, text.lastIndexOf(']') + 1))
    return Array.isArray(issues) && issues.every(isIssue) ? issues : []
  } catch {
    return []
  }
}

const sentence = ({ path, message }: Issue): string => {
  const field = path.map(part => String(part).slice(0, 40)).join('.')
  const words = message.replace(/\s+/g, ' ').slice(0, 160)
  return `${field === '' ? 'params' : field}: ${words}.`
}

const invalidParams = -32602

type Answer = { error?: { code: number; message: string } }

const withSentence = <Message>(message: Message): Message => {
  const { error } = message as Answer
  if (error === undefined) return message
  const [issue] = issuesIn(error.message)
  if (!issue) return message
  return { ...message, error: { code: invalidParams, message: `Invalid params: ${sentence(issue)}` } }
}

type Transport = { send(message: never, options?: never): Promise<void> }
type Connecting = { connect(transport: never): Promise<void> }

/**
 * Makes a server of either SDK say what is wrong with params in a sentence, as -32602: of themselves they answer -32603 with
 * the dump of their validator.
 */
export const sayingFaults = <Server extends Connecting>(server: Server): Server => {
  const { connect } = server
  server.connect = (transport: Transport) => {
    const { send } = transport
    transport.send = (message, options) => send.call(transport, withSentence(message), options)
    return connect.call(server, transport as never)
  }
  return server
}
