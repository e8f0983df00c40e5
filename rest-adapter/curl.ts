import { exampleText } from '../mcp/kernel/help.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, type Auth, isPriced } from '../mcp/kernel/tool.ts'
import { quoteShellWord } from './connect.ts'
import { parseRoute } from './tool-route.ts'

const keyHeaders: Partial<Record<Auth, string>> = {
  bearer: `-H "Authorization: Bearer $KEY"`,
  apiKey: `-H "X-API-Key: $KEY"`,
}

const credentialFlags = (service: Service, tool: AnyTool): string[] => {
  const accepted = tool.auth ?? service.auth
  if (accepted.includes('public')) return []
  const header = accepted.map(kind => keyHeaders[kind]).find(candidate => candidate !== undefined)
  return header === undefined ? [] : [header]
}

const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const toQuery = (fields: readonly [string, unknown][]): string => {
  const query = new URLSearchParams()
  for (const [name, value] of fields)
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, toText(one))
  return query.size > 0 ? `?${query}` : ''
}

const json = "-H 'content-type: application/json'"

/** A shell line that calls a tool over REST with its first example, and works as printed. */
export const curlCommand = (base: string, service: Service, tool: AnyTool): string => {
  const { method, path } = parseRoute(tool.rest?.routes[0] ?? `POST /tools/${tool.name}`)
  const rest: Record<string, unknown> = { ...tool.examples[0] }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = toText(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  const free: [string, unknown][] = isPriced(tool) && tool.free?.flag ? [['free', '1']] : []
  const inQuery = method === 'GET' ? Object.entries(rest).filter(([, value]) => value !== undefined) : []
  const url = quoteShellWord(`${base}${filled}${toQuery([...inQuery, ...free])}`)
  const credential = credentialFlags(service, tool)
  if (method === 'GET') return ['curl -s', url, ...credential].join(' ')
  const verb = method === 'POST' ? [] : [`-X ${method}`]
  return ['curl -s', ...verb, url, json, ...credential, '-d', quoteShellWord(JSON.stringify(rest))].join(' ')
}

/** A shell line that starts a tool over A2A with its first example: as text where a template has it, else as data. */
export const messageCurlCommand = (url: string, tool: AnyTool): string => {
  const text = exampleText(tool)
  const part = tool.a2a?.text ? { kind: 'text', text } : { kind: 'data', data: JSON.parse(text) }
  const message = { kind: 'message', role: 'user', messageId: '1', parts: [part] }
  const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }
  return ['curl -s', quoteShellWord(url), json, '-d', quoteShellWord(JSON.stringify(request))].join(' ')
}
