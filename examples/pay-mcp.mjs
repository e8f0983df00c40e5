// Pays ten cents for a feed over MCP: PRIVATE_KEY=0x… node examples/pay-mcp.mjs [base]
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { payingTools } from 'octagent/pay'
import { privateKeyToAccount } from 'viem/accounts'

const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`

const account = privateKeyToAccount(process.env.PRIVATE_KEY)
const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account))
const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/cat/mcp`)))
const tools = payingTools(client, { client: payer })
const purr = await tools.callTool({ name: 'feed', arguments: {} })
console.log(purr.structuredContent)
await client.close()
