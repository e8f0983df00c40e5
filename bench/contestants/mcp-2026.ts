import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express from 'express'
import { enter } from '../contestant.ts'
import { measureTool, repeat, toolNames } from '../fixture.ts'

const tools = toolNames(Number(process.argv[2])).map(measureTool)

/** The documented pattern of this SDK: a factory that makes one McpServer per request. */
const handler = createMcpHandler(() => {
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
})
const node = toNodeHandler(handler)

const app = express()
app.all('/mcp', express.json(), (req, res) => void node(req, res, req.body))
enter(createServer(app))
