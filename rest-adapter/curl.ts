import { exampleOf } from '../mcp/kernel/help.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool, Auth } from '../mcp/kernel/tool.ts'
import { quoted } from './connect.ts'
import { isPriced } from './price.ts'
import { routeOf } from './tool-route.ts'

const keyHeaders: Partial<Record<Auth, string>> = {
  bearer: `-H "Authorization: Bearer $KEY"`,
  apiKey: `-H "X-API-Key: $KEY"`,
}

const credentialOf = (service: Service, tool: AnyTool): string[] => {
  const accepted = tool.auth ?? service.auth
  if (accepted.includes('public')) return []
  const header = accepted.map(kind => keyHeaders[kind]).find(found => found !== undefined)
  return header === undefined ? [] : [header]
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const queryOf = (fields: readonly [string, unknown][]): string => {
  const query = new URLSearchParams()
  for (const [name, value] of fields)
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, textOf(one))
  return query.size > 0 ? `?${query}` : ''
}

const json = "-H 'content-type: application/json'"

/** A shell line that calls a tool over REST with its first example, and works as printed. */
export const curlOf = (base: string, service: Service, tool: AnyTool): string => {
  const { method, path } = routeOf(tool.rest?.routes[0] ?? `POST /tools/${tool.name}`)
  const rest: Record<string, unknown> = { ...tool.examples[0] }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = textOf(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  const free: [string, unknown][] = isPriced(tool) && tool.free?.flag ? [['free', '1']] : []
  const inQuery = method === 'GET' ? Object.entries(rest).filter(([, value]) => value !== undefined) : []
  const url = quoted(`${base}${filled}${queryOf([...inQuery, ...free])}`)
  const credential = credentialOf(service, tool)
  if (method === 'GET') return ['curl -s', url, ...credential].join(' ')
  const verb = method === 'POST' ? [] : [`-X ${method}`]
  return ['curl -s', ...verb, url, json, ...credential, '-d', quoted(JSON.stringify(rest))].join(' ')
}

/** A shell line that starts a tool over A2A with its first example: as text where a template has it, else as data. */
export const messageCurlOf = (url: string, tool: AnyTool): string => {
  const text = exampleOf(tool)
  const part = tool.a2a?.text ? { kind: 'text', text } : { kind: 'data', data: JSON.parse(text) }
  const message = { kind: 'message', role: 'user', messageId: '1', parts: [part] }
  const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }
  return ['curl -s', quoted(url), json, '-d', quoted(JSON.stringify(request))].join(' ')
}
