import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A JSON-RPC error as a node sends it. */
export type RpcFailure = { code: number; message: string; data?: unknown }

export const rpcFailure = (code: number, message: string, data?: unknown) =>
  Object.assign(new Error(message), { rpc: { code, message, ...(data !== undefined && { data }) } })

/** What a node answers: a result, or a thrown `rpcFailure`. */
export type Answer = (method: string, params: unknown[]) => unknown

/** Ways in which public nodes fail. */
export type Fault =
  | 'html'
  | 'too many requests'
  | 'limit exceeded'
  | 'server error'
  | 'forbidden'
  | 'silent'
  | 'silent in the body'
  | 'huge'
  | 'broken JSON'
  | 'redirect'
  | 'hangs up'
  | 'other chain'
  | 'knows nothing'
  | 'no such method'

export type Node = {
  url: string
  /** What was asked, as `method`, oldest first. */
  asked: string[]
  /** The Authorization header that came last. */
  authorization(): string | undefined
  /** Makes it fail from now on, or work again. */
  fail(fault?: Fault): void
  stop(): void
}

const json = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const page = '<!doctype html><title>Just a moment…</title>'

type Reply = { response: ServerResponse; id: unknown; method: string }

const faults: Readonly<Record<Exclude<Fault, 'other chain'>, (reply: Reply) => void>> = {
  'knows nothing': ({ response, id }) => json(response, { jsonrpc: '2.0', id, result: null }),
  html: ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  'too many requests': ({ response }) => response.writeHead(429, { 'retry-after': '7' }).end('slow down'),
  'limit exceeded': ({ response, id }) =>
    json(response, { jsonrpc: '2.0', id, error: { code: -32005, message: 'limit exceeded' } }),
  'server error': ({ response }) => response.writeHead(503).end('upstream connect error'),
  forbidden: ({ response }) => response.writeHead(403).end('no key'),
  silent: () => undefined,
  'silent in the body': ({ response }) =>
    response.writeHead(200, { 'content-length': '100' }).write('{"json'),
  huge: ({ response, id }) => json(response, { jsonrpc: '2.0', id, result: `0x${'00'.repeat(3 << 20)}` }),
  'broken JSON': ({ response }) => response.writeHead(200).end('{"jsonrpc":"2.0","resu'),
  redirect: ({ response }) => response.writeHead(302, { location: 'https://example.com/' }).end(),
  'hangs up': ({ response }) => response.destroy(),
  'no such method': ({ response, id, method }) =>
    json(response, {
      jsonrpc: '2.0',
      id,
      error: { code: -32601, message: `the method ${method} does not exist` },
    }),
}

/** Faults with which a node still knows its chain. */
const ofQuestions = new Set<Fault | undefined>(['huge', 'knows nothing', 'no such method'])

/** Starts a JSON-RPC node on loopback that answers over HTTP as real ones do. */
export const startNode = async (answer: Answer): Promise<Node> => {
  const asked: string[] = []
  let fault: Fault | undefined
  let authorization: string | undefined
  const reply = ({ response, id, method }: Reply, params: unknown[]) => {
    if (fault === 'other chain' && method === 'eth_chainId')
      return json(response, { jsonrpc: '2.0', id, result: '0x38' })
    const isKnown = method === 'eth_chainId' && ofQuestions.has(fault)
    if (fault && fault !== 'other chain' && !isKnown) return faults[fault]({ response, id, method })
    try {
      json(response, { jsonrpc: '2.0', id, result: answer(method, params) ?? null })
    } catch (error) {
      json(response, { jsonrpc: '2.0', id, error: (error as { rpc: RpcFailure }).rpc })
    }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    asked.push(method)
    authorization = request.headers.authorization
    reply({ response, id, method }, params)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    authorization: () => authorization,
    fail: now => {
      fault = now
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
