import type { ListedTool } from '../mcp/server/listed.ts'
import type { Ask } from './load.ts'

export type EraName = '2025-11-25' | '2026-07-28'

const accept = 'application/json, text/event-stream'

/** One MCP request of an era. `name` is that of the tool, where one is called. */
export const mcpAsk = (era: EraName, method: string, params: object = {}, name?: string): Ask => {
  const modern = era === '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  }
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      accept,
      'mcp-protocol-version': era,
      ...(modern && { 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) }),
    },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, ...(modern && { _meta: meta }) } },
  }
}

type McpResult = {
  structuredContent?: unknown
  content?: unknown
  tools?: Pick<ListedTool, 'name' | 'description' | 'inputSchema'>[]
}

/** The result in an answer, be it JSON or one SSE event. Throws when it is none. */
export const mcpResult = (body: string): McpResult => {
  const data = body.startsWith('{') ? body : /^data: (.*)$/m.exec(body)?.[1]
  const { result, error } = JSON.parse(data ?? 'null')
  if (!result || result.isError) throw new Error(`no result: ${JSON.stringify(error ?? result)}`)
  return result
}
