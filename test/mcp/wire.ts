export type EraName = '2025' | '2026'
export const eras: readonly EraName[] = ['2025', '2026']

type Message = {
  jsonrpc: '2.0'
  id?: number | string | null
  method?: string
  params?: Record<string, unknown>
  result?: Result
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export type Result = {
  content: { type: string; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  tools: { name: string; [key: string]: unknown }[]
  _meta?: Record<string, unknown>
  [key: string]: unknown
}

export type Answer = {
  status: number
  type: string
  headers: Headers
  messages: Message[]
  /** The last message: the response. */
  message: Message
  result: Result
}

export const both = 'application/json, text/event-stream'

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '9' },
}

/** A name as a header may carry it. */
const headerValue = (name: string): string =>
  /^[\x21-\x7e]*$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`

/** A request as a correct client of an era writes it: body and headers. */
export const requestOf = (
  era: EraName,
  method: string,
  params: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
) => {
  const modern = era === '2026'
  const _meta = modern ? { ...envelope, ...meta } : meta
  const subject = params.name ?? params.uri
  const named = typeof subject === 'string' ? { 'mcp-name': headerValue(subject) } : {}
  return {
    body: {
      jsonrpc: '2.0',
      id: 7,
      method,
      params: { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) },
    },
    headers: {
      accept: both,
      'content-type': 'application/json',
      'mcp-protocol-version': modern ? '2026-07-28' : '2025-11-25',
      ...(modern && { 'mcp-method': method, ...named }),
    } as Record<string, string>,
  }
}

const parse = (type: string, text: string): Message[] => {
  if (text === '') return []
  if (!type.startsWith('text/event-stream')) return [JSON.parse(text) as Message].flat()
  return text
    .split('\n')
    .filter(line => line.startsWith('data: ') && line.length > 6)
    .map(line => JSON.parse(line.slice(6)) as Message)
}

/** Posts a body as it is and reads what comes back, JSON or events. */
export const post = async (
  url: string,
  body: unknown,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Answer> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, { method: 'POST', headers, body: text, ...(signal && { signal }) })
  const type = response.headers.get('content-type') ?? ''
  const messages = parse(type, await response.text())
  const message = messages.at(-1) ?? { jsonrpc: '2.0' }
  return {
    status: response.status,
    type,
    headers: response.headers,
    messages,
    message,
    result: message.result as Result,
  }
}

type Ask = { meta?: Record<string, unknown>; headers?: Record<string, string>; signal?: AbortSignal }

/** Asks as a correct client of an era does. */
export const ask = (
  url: string,
  era: EraName,
  method: string,
  params: Record<string, unknown> = {},
  { meta, headers: more, signal }: Ask = {},
): Promise<Answer> => {
  const { body, headers } = requestOf(era, method, params, meta)
  return post(url, body, { ...headers, ...more }, signal)
}

/** Calls a tool as a correct client of an era does. */
export const callTool = (url: string, era: EraName, name: string, input: object = {}, more: Ask = {}) =>
  ask(url, era, 'tools/call', { name, arguments: input }, more)
