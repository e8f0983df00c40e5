import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { PaymentPayload } from '@x402/core/types'
import express from 'express'
import { z } from 'zod'
import { type Market, network } from '../express/shop.ts'

/**
 * A paid MCP server as others write one: the SDK's own server with sessions and streams, and a wrapper around a tool that verifies, runs
 * and settles with the stock resource server, as the MCP transport of x402 describes.
 */
export const startPaidServer = async (market: Market, payTo: string) => {
  const seller = market.server()
  await seller.initialize()
  const accepts = await seller.buildPaymentRequirements({ scheme: 'exact', price: '$0.02', network, payTo })
  const [requirements] = accepts
  if (!requirements) throw new Error('the seller makes an offer')
  const resource = { url: 'mcp://tool/weather', description: 'The weather' }
  const ask = (error: string): CallToolResult => {
    const required = { x402Version: 2, error, resource, accepts }
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify(required) }],
      structuredContent: { ...required },
    }
  }
  const openServer = () => {
    const server = new McpServer({ name: 'paid', version: '1.0.0' })
    server.registerTool(
      'weather',
      { description: 'The weather of a city.', inputSchema: { city: z.string() } },
      async ({ city }, { _meta, sendNotification }) => {
        const payload = _meta?.['x402/payment'] as PaymentPayload | undefined
        if (!payload) return ask('Payment required to access this tool')
        const verified = await seller.verifyPayment(payload, requirements)
        if (!verified.isValid) return ask(verified.invalidReason ?? 'Payment verification failed')
        const progressToken = _meta?.progressToken
        if (progressToken !== undefined)
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
        const settled = await seller.settlePayment(payload, requirements)
        if (!settled.success) return ask(settled.errorReason ?? 'Settlement failed')
        return {
          content: [{ type: 'text', text: `sunny in ${city}` }],
          _meta: { 'x402/payment-response': settled },
        }
      },
    )
    server.registerTool('ping', { description: 'Free.' }, () => ({
      content: [{ type: 'text', text: 'pong' }],
    }))
    return server
  }
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const app = express()
  app.use(express.json())
  app.all('/mcp', async (req, res) => {
    const known = sessions.get(String(req.headers['mcp-session-id']))
    if (known) return known.handleRequest(req, res, req.body)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: id => void sessions.set(id, transport),
      onsessionclosed: id => void sessions.delete(id),
    })
    await openServer().connect(transport as Transport)
    await transport.handleRequest(req, res, req.body)
  })
  const listener = app.listen(0, '127.0.0.1')
  await new Promise(ready => listener.once('listening', ready))
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
    sessions,
    stop: () =>
      new Promise<void>(done => {
        listener.close(() => done())
        listener.closeAllConnections()
      }),
  }
}
