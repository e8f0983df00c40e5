import { describe, expect, test } from 'vitest'
import { startApp } from './app.ts'
import { opened } from './opened.ts'

const app = opened(startApp)

const strangers = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, 1]))
const long = 'x\u001b'.repeat(20_000)

const post = async (path: string, body: unknown, headers = {}): Promise<string> => {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBeLessThan(500)
  return response.text()
}

const rpc = (method: string, params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const said = (data: object) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] },
})
const modern = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}
const modernHeaders = (method: string, name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': name,
})

describe('a refusal of a great many unknown fields is small', () => {
  test.each<[string, string, unknown, object?]>([
    ['REST', '/data/tools/dns_lookup', strangers],
    ['REST, unknown tool', '/data/tools/none', strangers],
    ['A2A', '/data/a2a', rpc('SendMessage', said({ skill: 'dns-lookup', ...strangers }))],
    [
      'A2A, later',
      '/data/a2a',
      rpc('SendMessage', {
        ...said({ skill: 'dns-lookup', ...strangers }),
        configuration: { returnImmediately: true },
      }),
    ],
    ['MCP', '/data/mcp', rpc('tools/call', { name: 'dns_lookup', arguments: strangers })],
    ['the MCP bundle', '/mcp', rpc('tools/call', { name: 'call_tool', arguments: strangers })],
    [
      'MCP, initialize',
      '/data/mcp',
      rpc('initialize', {
        protocolVersion: '2025-11-25',
        clientInfo: {},
        capabilities: { experimental: strangers },
      }),
    ],
    [
      'MCP of 2026',
      '/data/mcp',
      rpc('tools/call', { ...modern, name: 'dns_lookup', arguments: strangers }),
      modernHeaders('tools/call', 'dns_lookup'),
    ],
  ])('over %s', async (_, path, body, headers) => {
    const answer = await post(path, body, headers)
    expect(answer).toMatch(/error|problem/i)
    expect(answer.length).toBeLessThan(10_000)
  })
})

describe('a refusal repeats little of a long word', () => {
  test.each<[string, string, unknown]>([
    ['method', '/data/a2a', rpc(long, {})],
    ['skill', '/data/a2a', rpc('SendMessage', said({ skill: long }))],
    ['id', '/data/a2a', rpc('GetTask', {}, long)],
    ['task id', '/data/a2a', rpc('GetTask', { id: long })],
    ['context', '/data/a2a', rpc('ListTasks', { contextId: long })],
    ['MCP method', '/data/mcp', rpc(long, {})],
    ['MCP tool', '/data/mcp', rpc('tools/call', { name: long })],
    ['MCP id', '/data/mcp', rpc('tools/list', {}, long)],
    ['name of the bundle', '/mcp', rpc('tools/call', { name: 'describe_tool', arguments: { name: long } })],
    ['key', '/data/tools/dns_lookup', { [long]: 1 }],
    ['value', '/data/tools/dns_lookup', { domain: long }],
    ['URL', '/data/tools/url_metadata', { url: `http://${long}` }],
  ])('sent as %s', async (_, path, body) => {
    const answer = await post(path, body)
    expect(answer).toMatch(/error|problem/i)
    expect(answer.length).toBeLessThan(4_000)
  })
})
