import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Request } from '../mcp/kernel/http.ts'
import { closeIfUnread } from './closing.ts'
import { boundConnections, type ConnectionOptions } from './connections.ts'
import { refuseTunnel, refuseUnparsed } from './parser-refusal.ts'

/**
 * Milliseconds: header fields arrive within 10 s and a whole request, of at most 1 MiB, within 60 s. An idle connection stays
 * open for longer than the minute of common proxies, which otherwise send a request into a closing one.
 */
const defaults = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
}

export type HttpServerOptions = ConnectionOptions & {
  readonly times?: Partial<typeof defaults> | undefined
  /** The absolute address of the installation, where problem types are explained. */
  readonly site?: () => string
}

/**
 * Node's HTTP server with limits on what a connection may hold, a problem document for whatever its parser refuses, and
 * `100 Continue` only once the body of a request is wanted.
 */
export const openHttpServer = (
  handle: RequestListener,
  { times, site = () => '', ...bounds }: HttpServerOptions = {},
): Server => {
  // A missing Host is refused by the guard, which says so.
  const server = createServer({ ...defaults, ...times, requireHostHeader: false, insecureHTTPParser: false })
  const { inOrder, afterAnswers } = boundConnections(server, bounds)
  const answer = inOrder((req, res) => {
    closeIfUnread(req, res)
    handle(req, res)
  })
  server.on('request', answer)
  server.on('checkContinue', (req, res) => {
    ;(req as Request).awaitsContinue = true
    answer(req, res)
  })
  server.on('checkExpectation', answer)
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    afterAnswers(socket, () => refuseUnparsed(socket, error, site()))
  })
  server.on('connect', (_, stream) => {
    const socket = stream as Socket
    socket.on('error', () => socket.destroy())
    afterAnswers(socket, () => refuseTunnel(socket, site()))
  })
  return server
}
