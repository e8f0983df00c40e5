import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import express from 'express'
import { enter } from '../contestant.ts'
import { measureTool, repeat, sessionId, toolNames } from '../fixture.ts'

/** The documented pattern with sessions: one McpServer for as long as its client stays. JSON replies, which are the faster ones. */
const server = new McpServer({ name: 'measure', version: '1.0.0' })
for (const name of toolNames(Number(process.argv[2]))) {
  const { title, description, input, output } = measureTool(name)
  server.registerTool(name, { title, description, inputSchema: input, outputSchema: output }, async input => {
    const structuredContent = repeat(input)
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  })
}
const transport = new StreamableHTTPServerTransport({
  enableJsonResponse: true,
  sessionIdGenerator: () => sessionId,
})
await server.connect(transport as Transport)

const app = express()
app.post('/mcp', express.json(), (req, res) => void transport.handleRequest(req, res, req.body))
enter(createServer(app))
