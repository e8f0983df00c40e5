import { isRecord } from '../../mcp/lib/json.ts'
import { A2aError, invalidParam } from './failure.ts'
import { type Fields, field } from './fields.ts'
import type { Message, Part } from './message.ts'

/** `message/send` and `SendMessage`, read alike. */
export type SendParams = {
  message: Message
  /** `metadata` of the request, next to that of the message. */
  metadata: Fields
  configuration: Fields
  historyLength: number | undefined
  /** The client wants a task at once and its result later. */
  later: boolean
}

const roles: Readonly<Record<string, Message['role']>> = {
  user: 'user',
  agent: 'agent',
  ROLE_USER: 'user',
  ROLE_AGENT: 'agent',
}

const unstorable = /[\0\p{Surrogate}]/u

/** An id that a client chose: any text of up to 256 characters; empty is the same as absent. */
export const readId = (path: string, value: unknown): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && value.length <= 256 && !unstorable.test(value)) return value
  throw invalidParam(path, 'must be text of up to 256 characters')
}

/** A whole number from 0, or undefined. */
export const readCount = (path: string, value: unknown): number | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw invalidParam(path, 'must be a whole number, 0 or more')
}

const deepest = 64

const isTooDeep = (value: unknown, levels = deepest): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(inner => isTooDeep(inner, levels - 1)))

const checkDepth = (path: string, value: unknown): void => {
  if (isTooDeep(value)) throw invalidParam(path, `must not be nested more than ${deepest} levels deep`)
}

const readObject = (path: string, value: unknown): Fields => {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) throw invalidParam(path, 'must be an object')
  checkDepth(path, value)
  return value
}

const readPart = (value: unknown, index: number): Part => {
  const path = `message.parts.${index}`
  if (!isRecord(value)) throw invalidParam(path, 'must be an object')
  if (typeof value.text === 'string') return { text: value.text }
  if (value.data !== undefined) {
    checkDepth(`${path}.data`, value.data)
    return { data: value.data }
  }
  if (isRecord(value.file) || typeof value.url === 'string' || typeof value.raw === 'string')
    throw new A2aError('contentType', `${path}: files are not accepted here; send text or data.`, {
      hint: 'Put a file as text, or its address as text or in a data part.',
    })
  throw invalidParam(path, 'must have text or data')
}

const readMessage = (value: unknown): Message => {
  if (!isRecord(value)) throw invalidParam('message', 'is required and must be an object')
  const messageId = readId('message.messageId', field(value, 'messageId'))
  if (messageId === undefined) throw invalidParam('message.messageId', 'is required')
  const role =
    typeof value.role === 'string' && Object.hasOwn(roles, value.role) ? roles[value.role] : undefined
  if (!role) throw invalidParam('message.role', 'must be "user" (0.3) or "ROLE_USER" (1.0)')
  if (!Array.isArray(value.parts) || value.parts.length === 0)
    throw invalidParam('message.parts', 'must be a list of at least one part')
  const contextId = readId('message.contextId', field(value, 'contextId'))
  const taskId = readId('message.taskId', field(value, 'taskId'))
  return {
    messageId,
    role,
    parts: value.parts.map(readPart),
    metadata: readObject('message.metadata', value.metadata),
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
  }
}

/** Reads the parameters of a message in the shape of either version. Throws -32602 or -32005. */
export const readSending = (params: Fields): SendParams => {
  const configuration = readObject('configuration', params.configuration)
  return {
    message: readMessage(params.message),
    metadata: readObject('metadata', params.metadata),
    configuration,
    historyLength: readCount('configuration.historyLength', field(configuration, 'historyLength')),
    later: field(configuration, 'returnImmediately') === true || configuration.blocking === false,
  }
}
