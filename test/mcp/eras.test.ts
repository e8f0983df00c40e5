import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lab, serviceOf } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { ask, callTool, eras } from './wire.ts'

let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(emptyWorld(), [lab, serviceOf('bare', [])])
  url = `${served.url}/lab/mcp`
})
afterAll(() => served.stop())

const echo = {
  name: 'echo',
  title: 'Echo',
  description: 'Says a text again. Use it to see that the wire works. Free.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, description: 'What to say' },
      times: { default: 1, type: 'integer', minimum: 1, maximum: 9, description: 'How often' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      said: { type: 'string', description: 'The text' },
      note: { description: 'Always null', anyOf: [{ type: 'string' }, { type: 'null' }] },
      at: { type: 'string', format: 'date-time', description: 'When' },
    },
    required: ['said', 'note', 'at'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

const names = ['breaks', 'burst', 'echo', 'paid', 'refuses', 'slow', 'stuck', 'whoami']
const answer = { said: 'hi hi', note: null, at: '2026-07-28T00:00:00Z' }

describe.each(eras)('in the era of %s', era => {
  test('lists the tools that MCP may see, sorted, with lean schemas', async () => {
    const { status, type, result } = await ask(url, era, 'tools/list')
    expect([status, type.split(';')[0]]).toEqual([200, 'application/json'])
    expect(result.tools.map(({ name }) => name)).toEqual(names)
    expect(result.tools[2]).toEqual(echo)
  })

  test('answers a call with the same data as structure and as text, and with nothing more', async () => {
    const { status, type, message } = await callTool(url, era, 'echo', { text: 'hi', times: 2 })
    expect([status, type.split(';')[0], message.id]).toEqual([200, 'application/json', 7])
    expect(message.result).toMatchObject({
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: answer,
    })
    expect(message.result?.isError).toBeUndefined()
    expect(JSON.stringify(message)).not.toContain('inner')
  })

  test('answers an unknown tool with a protocol error', async () => {
    const { message } = await callTool(url, era, 'nothing')
    expect(message.error).toEqual({ code: -32602, message: 'Unknown tool: nothing' })
  })

  test('does not know a tool that is not on MCP', async () => {
    const { message } = await callTool(url, era, 'hidden')
    expect(message.error?.code).toBe(-32602)
  })

  test('has no prompts: it neither declares nor answers them', async () => {
    for (const method of ['prompts/list', 'prompts/get'])
      expect((await ask(url, era, method, { name: 'a' })).message.error?.code).toBe(-32601)
  })

  test('declares no resources where there are none, and answers none', async () => {
    const bare = `${served.url}/bare/mcp`
    for (const method of ['resources/list', 'resources/templates/list', 'resources/read'])
      expect((await ask(bare, era, method, { uri: 'octagent://bare/a' })).message.error?.code).toBe(-32601)
  })

  test('lists nothing for a service without tools', async () => {
    expect((await ask(`${served.url}/bare/mcp`, era, 'tools/list')).result.tools).toEqual([])
  })

  test('answers an unknown method with -32601', async () => {
    expect((await ask(url, era, 'tools/burn')).message.error?.code).toBe(-32601)
  })
})

test('answers initialize of any older version with that version, without a session', async () => {
  for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } }
    const { result, headers } = await ask(url, '2025', 'initialize', params)
    expect(result).toMatchObject({
      protocolVersion,
      serverInfo: { name: 'lab', title: 'The lab', version: '1.2.3' },
    })
    expect(result.capabilities).toEqual({ tools: {}, resources: {} })
    expect(result.instructions).toMatch(/^The lab: A service named lab/)
    expect(headers.get('mcp-session-id')).toBeNull()
  }
})

test('declares what it answers, and nothing else', async () => {
  const { result } = await ask(url, '2026', 'server/discover')
  expect(result.capabilities).toEqual({ tools: {}, resources: {} })
  const bare = await ask(`${served.url}/bare/mcp`, '2026', 'server/discover')
  expect(bare.result.capabilities).toEqual({ tools: {} })
})

test('answers a call that no initialize came before', async () => {
  const { result } = await callTool(url, '2025', 'echo', { text: 'cold' })
  expect(result.structuredContent).toMatchObject({ said: 'cold' })
})

test('answers ping in the era that has it', async () => {
  expect((await ask(url, '2025', 'ping')).result).toEqual({})
})

test('discovers: versions, capabilities, instructions, and how long to keep them', async () => {
  const { status, result } = await ask(url, '2026', 'server/discover')
  expect(status).toBe(200)
  expect(result).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    ttlMs: 300_000,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'lab', version: '1.2.3' } },
  })
  expect(result.instructions).toMatch(/^The lab/)
})

test('lists may be kept for five minutes, results of calls not at all', async () => {
  const list = await ask(url, '2026', 'tools/list')
  expect(list.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' })
  const call = await callTool(url, '2026', 'echo', { text: 'hi' })
  expect(call.result.resultType).toBe('complete')
  expect(call.result.ttlMs).toBeUndefined()
})

test('lists the same bytes each time', async () => {
  const [one, two] = await Promise.all([ask(url, '2025', 'tools/list'), ask(url, '2025', 'tools/list')])
  expect(JSON.stringify(one.messages)).toBe(JSON.stringify(two.messages))
})

test.each(['GET', 'DELETE'])('answers %s with 405 and the way to call', async method => {
  const response = await fetch(url, { method, headers: { accept: 'text/event-stream' } })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toContain('POST')
})

test('accepts notifications with 202 and no body, also one that cancels', async () => {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  for (const method of ['notifications/initialized', 'notifications/cancelled']) {
    const params = method.endsWith('cancelled') ? { requestId: 7 } : {}
    const body = JSON.stringify({ jsonrpc: '2.0', method, params })
    const response = await fetch(url, { method: 'POST', headers, body })
    expect([response.status, await response.text()]).toEqual([202, ''])
  }
})

test('two services in one process do not see each other', async () => {
  const { message } = await callTool(`${served.url}/bare/mcp`, '2025', 'echo', { text: 'hi' })
  expect(message.error?.code).toBe(-32602)
})
