import { rpcCode, ToolError } from '../kernel/error.ts'
import { isObject } from './schema.ts'

type Found = { path: (string | number)[]; message: string }

const isFound = (value: unknown): value is Found =>
  isObject(value) && Array.isArray(value.path) && typeof value.message === 'string'

const readFound = (text: unknown): Found[] => {
  try {
    const found: unknown = JSON.parse(String(text))
    return Array.isArray(found) && found.every(isFound) ? found : []
  } catch {
    return []
  }
}

const internal = rpcCode('internal')

/**
 * SDK v1 calls parameters of the wrong kind an internal error and sends the words of its validator. They are the client's
 * mistake (JSON-RPC 2.0, section 5.1): such an answer becomes −32602 and names the fields. Others stay as they are.
 */
export const withInvalidParams = <Message>(message: Message): Message => {
  if (!isObject(message) || !isObject(message.error) || message.error.code !== internal) return message
  const found = readFound(message.error.message)
  if (found.length === 0) return message
  const issues = found.slice(0, 20).map(({ path, message }) => ({ path: path.join('.'), message }))
  const sentence = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  const error = new ToolError('invalid_input', sentence, { issues })
  return {
    ...message,
    error: { code: rpcCode(error.code), message: error.message, data: error.toProblem() },
  }
}
