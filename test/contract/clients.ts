import { expect } from 'vitest'
import type { Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, skillId } from '../../mcp/kernel/tool.ts'
import { expectDescribed, type OpenApi, openApiAt } from '../rest/conformance.ts'

/** An answer, whichever way it came: the output, or the problem. */
export type Answer =
  | { output: Record<string, unknown> }
  | { problem: { code: string; issues?: { path: string }[] } }

export type Ask = (input: Record<string, unknown>) => Promise<Answer>

/** Every transport asks for payment in its own words. */
const toPay = { code: 'payment_required' }

const post = async <R>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<R> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return (await response.json()) as R
}

const descriptions = new Map<string, Promise<OpenApi>>()

/** The description of a service, read once. */
const descriptionOf = (base: string): Promise<OpenApi> => {
  const description = descriptions.get(base) ?? openApiAt(base)
  descriptions.set(base, description)
  return description
}

/** Over REST every answer, a refusal too, is held against the OpenAPI description. */
const rest =
  (base: string, route: string, tool: AnyTool, headers: Record<string, string>): Ask =>
  async input => {
    const [method = '', path = ''] = route.split(' ')
    const rest = { ...input }
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      const value = String(rest[name])
      delete rest[name]
      return encodeURIComponent(value)
    })
    const query = new URLSearchParams({ free: '1' })
    if (method === 'GET')
      for (const [name, value] of Object.entries(rest))
        if (Array.isArray(value) && value.every(item => typeof item === 'string'))
          query.set(name, value.join(','))
        else query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    const response = await fetch(`${base}${filled}?${query}`, {
      method,
      headers: { ...headers, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(method !== 'GET' && { body: JSON.stringify(rest) }),
    })
    const body = await expectDescribed(await descriptionOf(base), method, response)
    if (!response.ok) return { problem: response.status === 402 ? toPay : (body as { code: string }) }
    expect(response.status).toBe(tool.rest?.status ?? 200)
    return { output: body }
  }

type McpReply = {
  result: { isError?: boolean; structuredContent?: object; content: { text: string }[] }
}

const mcp =
  (base: string, name: string, modern: boolean, headers: Record<string, string>): Ask =>
  async input => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'contract', version: '1' },
    }
    // What pays is in the metadata of a call here, and in a header everywhere else.
    const paid = headers['payment-signature']
    const payment = paid && { 'x402/payment': JSON.parse(Buffer.from(paid, 'base64').toString()) }
    const { result } = await post<McpReply>(
      `${base}/mcp`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: input,
          ...((modern || payment) && { _meta: { ...(modern && meta), ...payment } }),
        },
      },
      modern
        ? { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
        : { ...headers, 'mcp-protocol-version': '2025-11-25' },
    )
    const text = JSON.parse(result.content[0]?.text ?? 'null')
    const isUnpaid = 'accepts' in text || text.code === toPay.code
    if (result.isError) return { problem: isUnpaid ? toPay : text }
    if (JSON.stringify(result.structuredContent) !== JSON.stringify(text))
      throw new Error('text and structure differ')
    return { output: text }
  }

type Part = { data?: Record<string, unknown> }
type A2aReply = {
  result?: { parts?: Part[]; message?: { parts: Part[] }; task?: { status?: object }; status?: object }
  error?: { code: number; data: { code?: string }[] }
}

const a2a =
  (base: string, path: string, skill: string, modern: boolean, headers: Record<string, string>): Ask =>
  async input => {
    const data = { skill, ...input }
    const message = modern
      ? { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] }
      : { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'data', data }] }
    const { result, error } = await post<A2aReply>(
      `${base}${path}`,
      { jsonrpc: '2.0', id: 1, method: modern ? 'SendMessage' : 'message/send', params: { message } },
      modern ? { ...headers, 'a2a-version': '1.0' } : headers,
    )
    if (error) {
      const problem = error.data.find(entry => entry.code !== undefined)
      return { problem: { code: '', ...problem } }
    }
    const task = modern ? result?.task : result
    if (task?.status) return { problem: toPay }
    const parts = modern ? result?.message?.parts : result?.parts
    return { output: parts?.find(part => part.data)?.data ?? {} }
  }

/** Every way into a tool, by name. */
export const waysIn = (
  url: string,
  service: Service,
  tool: AnyTool,
  headers: Record<string, string> = {},
): Record<string, Ask> => {
  const base = `${url}/${service.slug}`
  // An operation of a skill answers to its own name, too.
  const skill = tool.a2a?.group === undefined ? skillId(tool) : tool.name
  const [{ path }] = service.interfaces
  return {
    mirror: rest(base, `POST /tools/${tool.name}`, tool, headers),
    ...Object.fromEntries((tool.rest?.routes ?? []).map(route => [route, rest(base, route, tool, headers)])),
    ...(tool.mcp !== false && {
      'mcp 2025-11-25': mcp(base, tool.name, false, headers),
      'mcp 2026-07-28': mcp(base, tool.name, true, headers),
    }),
    ...(skill !== undefined && {
      'a2a 0.3': a2a(base, path, skill, false, headers),
      'a2a 1.0': a2a(base, path, skill, true, headers),
    }),
  }
}
