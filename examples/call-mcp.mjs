// Finds a tool and calls it over MCP: node examples/call-mcp.mjs [base]
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`

const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`)))
const found = await client.callTool({ name: 'find_tool', arguments: { query: 'repair broken json' } })
const [{ name, price }] = found.structuredContent.tools
console.log(name, price)
const answer = await client.callTool({
  name: 'read_tool',
  arguments: { name, arguments: { json: '{a: 1,}' } },
})
console.log(JSON.stringify(answer.structuredContent.result))
await client.close()
