import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import express from 'express'
import { enter } from '../contestant.ts'
import { measureTool, repeat, toolNames } from '../fixture.ts'

const tools = toolNames(Number(process.argv[2])).map(measureTool)

/** The documented stateless pattern: a new McpServer and transport per request. JSON replies, which are the faster ones. */
const makeServer = (): McpServer => {
  const server = new McpServer({ name: 'measure', version: '1.0.0' })
  for (const { name, title, description, input, output } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output },
      async input => {
        const structuredContent = repeat(input)
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
      },
    )
  return server
}

const app = express()
app.post('/mcp', express.json(), async (req, res) => {
  const server = makeServer()
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport as Transport)
  await transport.handleRequest(req, res, req.body)
})
enter(createServer(app))
