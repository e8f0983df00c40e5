import { asRecord, type JsonRecord } from '../../../lib/json.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first event of an event stream that holds a JSON-RPC answer. */
const fromEvents = (text: string): unknown => {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter(line => line.startsWith('data:'))
      .map(line => line.slice(5).trim())
      .join('\n')
    const value = parse(data)
    if (asRecord(value).jsonrpc === '2.0' && asRecord(value).id !== undefined) return value
  }
  return undefined
}

/** A JSON-RPC 2.0 answer to `id`: its result, or its error; undefined for anything else. */
export const readRpcAnswer = (
  { body, headers }: Fetched,
  id: string,
): { result: unknown } | { error: JsonRecord } | undefined => {
  const text = body.toString('utf8')
  const isStream = /^\s*text\/event-stream/i.test(headers['content-type'] ?? '')
  const answer = asRecord(isStream ? fromEvents(text) : parse(text))
  if (answer.jsonrpc !== '2.0' || (answer.id !== id && answer.id !== null)) return undefined
  if ('result' in answer && answer.id === id) return { result: answer.result }
  const error = asRecord(answer.error)
  return typeof error.code === 'number' && typeof error.message === 'string' ? { error } : undefined
}
