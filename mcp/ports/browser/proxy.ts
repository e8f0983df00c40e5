import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ToolError } from '../../kernel/error.ts'
import type { Guard } from '../fetch/guard.ts'
import type { Blocked } from './port.ts'

/** How many refusals are written down. */
const maxBlocked = 100
const maxConnections = 200
const idleMs = 15_000

type Options = {
  guard: Guard
  /** Ends every connection once so much has come in. */
  maxBytes: number
}

/** Own requests of Chromium to its makers: updates, hints, lists, experiments (chromium: components, google_apis). No page needs them. */
const ownHosts =
  /^(?:update|optimizationguide-pa|content-autofill|safebrowsing|safebrowsingohttpgateway|chromewebstore|mtalk)\.googleapis\.com$|^(?:clients[0-9]?|mtalk|android\.clients)\.google\.com$|(?:^|\.)gvt[0-9]\.com$/

/** True for a host that Chromium itself calls: it gets nothing, and it is not the page's doing. */
const isOwnCall = (authority: string): boolean => ownHosts.test(authority.replace(/:\d+$/, '').toLowerCase())

/** The one way out of a browser: it dials only addresses that were checked, and dials those. */
export type FilterProxy = {
  listen(path: string): Promise<void>
  blocked(): readonly Blocked[]
  bytes(): number
  close(): Promise<void>
}

const explain = (problem: unknown): string =>
  problem instanceof ToolError ? problem.message : 'It does not answer.'

/** Headers that end at this proxy (RFC 9110 §7.6.1). */
const hopByHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

const forward = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.test(name)))

/** An HTTP proxy with tunnels (RFC 9112 §3.2.2, RFC 9110 §9.3.6) that resolves names itself, so that the browser never does. */
export const openFilterProxy = ({ guard, maxBytes }: Options): FilterProxy => {
  const blocked: Blocked[] = []
  const open = new Set<Duplex>()
  // Connections are shared within a visit, and never with another one.
  const agent = new Agent({ keepAlive: true })
  let bytes = 0

  const keep = <T extends Duplex>(stream: T): T => {
    open.add(stream)
    stream.on('error', () => stream.destroy())
    stream.on('close', () => open.delete(stream))
    return stream
  }
  const endAll = () => {
    for (const stream of open) stream.destroy()
  }
  const count = (source: Socket, url: string) =>
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) return
      block(url, `More than ${maxBytes} bytes were sent.`)
      endAll()
    })
  const block = (url: string, reason: string) => {
    if (blocked.length < maxBlocked && !blocked.some(each => each.url === url && each.reason === reason))
      blocked.push({ url: url.slice(0, 500), reason })
  }
  const find = async (url: string) => {
    if (bytes > maxBytes) throw new ToolError('too_large', `More than ${maxBytes} bytes were sent.`)
    const target = guard.check(url)
    const [address] = await guard.addresses(target)
    if (!address) throw new ToolError('upstream', 'It has no address.')
    return { target, address }
  }

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? ''
    if (URL.canParse(url) && isOwnCall(new URL(url).host)) {
      response.writeHead(403).end()
      return
    }
    try {
      const { target, address } = await find(url)
      const outgoing = sendRequest({
        host: address.address,
        port: target.port,
        method: request.method,
        path: `${target.url.pathname}${target.url.search}`,
        headers: { ...forward(request.headers), host: target.url.host },
        setHost: false,
        agent,
        timeout: idleMs,
      })
      outgoing.on('socket', socket => {
        if (!open.has(socket)) count(keep(socket), url)
      })
      outgoing.on('timeout', () => outgoing.destroy())
      outgoing.on('error', () => response.destroy())
      outgoing.on('response', answer => {
        answer.on('error', () => response.destroy())
        response.writeHead(answer.statusCode ?? 502, forward(answer.headers))
        answer.pipe(response)
      })
      request.pipe(outgoing)
    } catch (problem) {
      block(url, explain(problem))
      response.writeHead(403, { 'content-type': 'text/plain' }).end('This address may not be visited.')
    }
  }

  const tunnel = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const authority = request.url ?? ''
    if (isOwnCall(authority)) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const url = authority.endsWith(':80') ? `http://${authority}/` : `https://${authority}/`
    try {
      const { target, address } = await find(url)
      const out = keep(connect({ host: address.address, port: target.port }))
      count(out, url)
      out.setTimeout(idleMs, () => out.destroy())
      out.once('connect', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        if (head.length > 0) out.write(head)
        out.pipe(socket).pipe(out)
      })
      out.on('close', () => socket.destroy())
      socket.on('close', () => out.destroy())
    } catch (problem) {
      block(url, explain(problem))
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    }
  }

  const server = createServer((request, response) => {
    request.on('error', () => response.destroy())
    response.on('error', () => request.destroy())
    void pass(request, response)
  })
  server.maxConnections = maxConnections
  server.on('connection', keep)
  server.on('connect', (request, socket, head) => void tunnel(request, keep(socket), head))
  server.on('clientError', (_, socket) => socket.destroy())
  return {
    listen: path =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(path, () => {
          server.off('error', reject)
          server.on('error', () => undefined)
          resolve()
        })
      }),
    blocked: () => blocked,
    bytes: () => bytes,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      endAll()
      agent.destroy()
      server.closeAllConnections()
      await closed
    },
  }
}
