import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import * as certificates from './certificates.ts'

/** A route: an answer as data, or the function that gives it. */
export type Page =
  | { status?: number; headers?: Record<string, string | string[]>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void)

export type Visit = { host: string; path: string; method: string; headers: IncomingMessage['headers'] }

export type Web = {
  /** Port of the plain server, which plays port 80 and 8080 of every host. */
  port: number
  /** Port of the TLS server, which plays port 443 and 8443. */
  securePort: number
  /** Adds a route; the path `*` answers what no other route of the host does. */
  site(host: string, path: string, page: Page): void
  /** What was asked for, oldest first. */
  visits: Visit[]
  stop(): void
}

const context = (cert: string) => createSecureContext({ cert, key: certificates.privateKey })

const certificateOf = (host: string): string => {
  if (host === 'expired.example.com') return certificates.expired
  if (host === 'self-signed.example.com') return certificates.selfSigned
  return certificates.good
}

const answerWith = (page: Page, request: IncomingMessage, response: ServerResponse) => {
  if (typeof page === 'function') return page(request, response)
  response.writeHead(page.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...page.headers })
  response.end(page.body ?? '')
}

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const place = server.address()
  return typeof place === 'object' && place ? place.port : 0
}

/** A web server with virtual hosts on free ports of 127.0.0.1. `http2.example.com` speaks no HTTP/1.1 over TLS. */
export const startWebServer = async (): Promise<Web> => {
  const routes = new Map<string, Page>()
  const visits: Visit[] = []

  const serve: RequestListener = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    visits.push({ host, path, method: request.method ?? '', headers: request.headers })
    const page = routes.get(`${host}${path}`) ?? routes.get(`${host}*`)
    answerWith(page ?? { status: 404, body: '<h1>Not found</h1>' }, request, response)
  }

  const plain = createServer({ maxHeaderSize: 64 * 1024 }, serve)
  const secure = createSecureServer(
    {
      cert: certificates.good,
      key: certificates.privateKey,
      SNICallback: (host, done) => done(null, context(certificateOf(host))),
      ALPNCallback: ({ servername, protocols }) =>
        protocols.find(protocol => protocol === (servername === 'http2.example.com' ? 'h2' : 'http/1.1')),
    },
    serve,
  )
  return {
    port: await listen(plain),
    securePort: await listen(secure),
    site: (host, path, page) => routes.set(`${domainToASCII(host) || host}${path}`, page),
    visits,
    stop() {
      for (const server of [plain, secure]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
