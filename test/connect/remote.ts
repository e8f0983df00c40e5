import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One message as a scripted server got it. */
export type Received = {
  body: Record<string, unknown> & { method: string; id?: number; params?: Record<string, unknown> }
  headers: IncomingMessage['headers']
  /** `_meta["x402/payment"]`. */
  payment?: { payload: { signature: string; authorization: Record<string, string> } } & Record<
    string,
    unknown
  >
  response: ServerResponse
  /** How many calls came before. */
  index: number
}

type Answer = (received: Received) => unknown

const usdcOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** An offer as a server makes it: 0.01 USDC on the local Base. */
export const offer = (more: Record<string, unknown> = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: usdcOnBase,
  payTo: '0x1111111111111111111111111111111111111111',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2', devnet: true },
  ...more,
})

/** The failed result that asks for money. */
export const priced = (accepts: readonly object[] = [offer()], more: Record<string, unknown> = {}) => {
  const required = {
    x402Version: 2,
    error: 'Payment required',
    resource: { url: 'mcp://tool/buy' },
    accepts,
    ...more,
  }
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(required) }],
    structuredContent: required,
  }
}

export const transaction = `0x${'ab'.repeat(32)}`

export const bought = {
  content: [{ type: 'text', text: 'bought' }],
  _meta: { 'x402/payment-response': { success: true, transaction, network: 'eip155:8453' } },
}

const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1' },
  },
  'tools/list': { tools: [{ name: 'buy', description: 'Buys.', inputSchema: { type: 'object' } }] },
}

/** Sends a JSON-RPC answer. */
export const reply = ({ body, response }: Received, result: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
}

/**
 * A server that does what a test says. `call` answers calls of tools: with a result, or with undefined where it has answered, or never
 * will, by itself.
 */
export const startRemote = async (call: Answer = () => bought, other: Answer = () => undefined) => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const body = JSON.parse(String(Buffer.concat(chunks))) as Received['body']
    const { 'x402/payment': payment } = (body.params?._meta ?? {}) as { 'x402/payment'?: Received['payment'] }
    const index = received.filter(one => one.body.method === body.method).length
    const one: Received = { body, headers: request.headers, ...(payment && { payment }), response, index }
    received.push(one)
    const answered = await (body.method === 'tools/call' ? call(one) : other(one))
    if (response.headersSent || response.destroyed) return
    if (body.id === undefined) return void response.writeHead(202).end()
    const result = answered ?? (body.method === 'tools/call' ? undefined : (results[body.method] ?? {}))
    if (result !== undefined) reply(one, result)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    received,
    /** The calls of tools that came. */
    calls: () => received.filter(({ body }) => body.method === 'tools/call'),
    /** The payments that came, as text, each once. */
    payments: () => [
      ...new Set(received.flatMap(({ payment }) => (payment ? [JSON.stringify(payment)] : []))),
    ],
    async stop() {
      server.closeAllConnections()
      await new Promise<void>(done => server.close(() => done()))
    },
  }
}

export type ScriptedRemote = Awaited<ReturnType<typeof startRemote>>
