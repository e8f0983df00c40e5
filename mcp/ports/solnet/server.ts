import { createServer, type IncomingMessage } from 'node:http'
import { ToolError } from '../../kernel/error.ts'
import { RpcError } from './methods.ts'

type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>

const maxBytes = 1_000_000
const maxCalls = 100

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new RpcError(-32600, 'too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const toRpcError = (error: unknown): object => {
  if (error instanceof RpcError)
    return {
      code: error.code,
      message: error.message,
      ...(error.data !== undefined && { data: error.data }),
    }
  if (error instanceof ToolError) return { code: -32602, message: error.message }
  if (error instanceof SyntaxError) return { code: -32700, message: 'Parse error' }
  return { code: -32603, message: 'Internal error' }
}

const answer = (methods: Methods, call: unknown): object => {
  const { id = null, method, params = [] } = (call ?? {}) as Record<string, unknown>
  const head = { jsonrpc: '2.0', id }
  try {
    const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined
    if (!run) throw new RpcError(-32601, 'Method not found')
    if (!Array.isArray(params)) throw new RpcError(-32602, 'Invalid params')
    return { ...head, result: run(params) }
  } catch (error) {
    return { ...head, error: toRpcError(error) }
  }
}

/** Serves JSON-RPC on a free loopback port. Web pages get nothing: no CORS, and the host must be the loopback address. */
export const serveRpc = async (methods: Methods): Promise<{ url: string; stop(): Promise<void> }> => {
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined)
    const reply = (status: number, body: object) => {
      const text = JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    }
    if (request.method !== 'POST') return reply(405, {})
    if (!/^(127\.0\.0\.1|localhost):\d+$/.test(request.headers.host ?? '')) return reply(403, {})
    try {
      const calls = JSON.parse(await readBody(request)) as unknown
      const several = Array.isArray(calls)
      reply(
        200,
        several ? calls.slice(0, maxCalls).map(call => answer(methods, call)) : answer(methods, calls),
      )
    } catch (error) {
      reply(200, { jsonrpc: '2.0', id: null, error: toRpcError(error) })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
