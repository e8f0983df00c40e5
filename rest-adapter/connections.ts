import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { toClient } from '../mcp/kernel/http.ts'
import { linger } from './closing.ts'

/** Requests that one connection may send ahead of their answers. Pipelining clients send some 10. */
const maxWaiting = 64

/** Bytes that may wait for one client, and for all, before the slowest lose their connections. */
const maxBuffered = 8 << 20
const maxBufferedByAll = 64 << 20

const maxConnections = 10_000
const sweepMs = 1000

type Connection = {
  /** The response that is being answered. */
  current: ServerResponse | undefined
  waiting: [IncomingMessage, ServerResponse][]
  /** True while the end of the current answer starts what waits. */
  advances: boolean
  /** Runs after the last answer. */
  last?: () => void
}

export type HttpConnections = {
  /** Handles the requests of a connection one after the other, however many it sends at once. */
  inOrder(handle: RequestListener): RequestListener
  /** Calls back when the requests before have been answered; at once when there are none, or the last cannot be. */
  afterAnswers(socket: Socket, work: () => void): void
}

export type ConnectionOptions = {
  /** Connections that one address may hold; an IPv6 address counts as its /64. Undefined for any number. */
  readonly perAddress?: number | undefined
  /** Milliseconds that a client may leave an answer unread. Default: 30,000. */
  readonly stallMs?: number | undefined
}

const isLocal = (address: string): boolean =>
  address === '' || address === '::1' || address.startsWith('127.')

type Incoming = (message: unknown, keepsAlive: unknown) => unknown

/** Skips the body and whatever else is in the chunk, as after an upgrade. */
const skipRest = 2

/**
 * One chunk of 64 KiB may hold thousands of requests, and Node's parser makes objects of them all, even when the connection is
 * over after the first few: a second of work for a dozen such chunks. There is no public way to stop it.
 */
const parseWhileOpen = (socket: Socket & { parser?: { onIncoming?: Incoming | null } | null }): void => {
  const { parser } = socket
  const onIncoming = parser?.onIncoming
  if (parser && onIncoming)
    parser.onIncoming = (message, keepsAlive) =>
      socket.destroyed ? skipRest : onIncoming(message, keepsAlive)
}

/**
 * An answer counts as open until `close`, which comes a tick after its last byte went: so the second request of one chunk waits
 * for the next turn of the loop even where the first was answered at once.
 */
const isOpen = (res: ServerResponse | undefined): res is ServerResponse => res !== undefined && !res.closed

/** Ends the connections with the most unread bytes until all hold no more than they may. */
const destroySockets = (sockets: Iterable<Socket>): void => {
  const loaded = Array.from(sockets, socket => ({ socket, bytes: socket.writableLength }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes)
  let total = loaded.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { socket, bytes } of loaded) {
    if (bytes <= maxBuffered && total <= maxBufferedByAll) return
    socket.destroy()
    total -= bytes
  }
}

/**
 * Bounds what clients can make a server hold: one answer under way for each connection, which is not read meanwhile; bytes
 * that wait for clients that do not read; time without progress; connections from one address (any number from this machine).
 */
export const boundConnections = (
  server: Server,
  { perAddress, stallMs = 30_000 }: ConnectionOptions = {},
): HttpConnections => {
  const connections = new Map<Socket, Connection>()
  const addresses = new Map<string, number>()

  const leave = (address: string) => {
    const remaining = (addresses.get(address) ?? 1) - 1
    if (remaining > 0) addresses.set(address, remaining)
    else addresses.delete(address)
  }

  const isCrowded = (socket: Socket): boolean => {
    const address = toClient(socket.remoteAddress)
    if (perAddress === undefined || isLocal(socket.remoteAddress ?? '') || isLocal(address)) return false
    const count = (addresses.get(address) ?? 0) + 1
    if (count > perAddress) return true
    addresses.set(address, count)
    socket.once('close', () => leave(address))
    return false
  }

  server.maxConnections = maxConnections
  server.on('connection', (socket: Socket) => {
    if (isCrowded(socket)) {
      socket.destroy()
      return
    }
    parseWhileOpen(socket)
    const connection: Connection = { current: undefined, waiting: [], advances: false }
    connections.set(socket, connection)
    socket.once('close', () => {
      connection.waiting = []
      connections.delete(socket)
    })
    const close = socket.destroySoon.bind(socket)
    socket.destroySoon = () => (connection.current?.req.complete === false ? linger(socket) : close())
  })

  server.setTimeout(stallMs, (socket: Socket) => {
    const current = connections.get(socket)?.current
    const works = isOpen(current) && !current.writableEnded && socket.writableLength === 0
    if (works) socket.setTimeout(stallMs)
    else socket.destroy()
  })

  const sweep = setInterval(() => destroySockets(connections.keys()), sweepMs)
  sweep.unref()
  server.once('close', () => clearInterval(sweep))

  let handler: RequestListener = (_, res) => void res.destroy()

  // Not at once but in the next turn of the event loop, so that one connection does not keep the others waiting.
  const advance = (socket: Socket, connection: Connection): void => {
    connection.advances = true
    connection.current?.once('close', () => setImmediate(answerNext, socket, connection))
  }

  const answerNext = (socket: Socket, connection: Connection): void => {
    connection.advances = false
    if (socket.destroyed) return
    const next = connection.waiting.shift()
    if (next) {
      connection.current = next[1]
      advance(socket, connection)
      handler(...next)
      return
    }
    socket.resume()
    connection.last?.()
  }

  return {
    inOrder(handle) {
      handler = handle
      return (req, res) => {
        const { socket } = req
        const connection = connections.get(socket)
        if (!connection || socket.destroyed) return
        if (!connection.advances && !isOpen(connection.current)) {
          connection.current = res
          handle(req, res)
          return
        }
        if (connection.waiting.length >= maxWaiting) {
          socket.destroy()
          return
        }
        connection.waiting.push([req, res])
        socket.pause()
        if (!connection.advances) advance(socket, connection)
      }
    },
    afterAnswers(socket, work) {
      const connection = connections.get(socket)
      const current = connection?.current
      if (!connection || (!connection.advances && !isOpen(current))) return work()
      const isRead = current?.req.complete === true
      if (!isRead) return current?.headersSent ? void socket.destroy() : work()
      connection.last = work
      if (!connection.advances) advance(socket, connection)
    },
  }
}
