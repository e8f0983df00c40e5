import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take to read the last answer of a connection that is not read any more. */
const lingerMs = 1000

/** Bytes of an unread body that are worth reading to keep a connection. */
const maxDiscarded = 65_536

/**
 * Closes the sending side, reads nothing more and ends the connection a second later. A close at once would answer the bytes
 * still under way with a reset, and a reset takes back the answer that the client has not read (RFC 9112 §9.6).
 */
export const linger = (socket: Socket): void => {
  socket.pause()
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

const isLong = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > maxDiscarded

/**
 * Says `Connection: close` in an answer that goes out before a long body was read, or instead of the `100 Continue` that was
 * asked for: otherwise Node would read what follows, all of it, before the next request.
 */
export const closeIfUnread = (req: IncomingMessage, res: ServerResponse): void => {
  if (req.headers.expect === undefined && !isLong(req)) return
  const { writeHead } = res
  res.writeHead = ((...head: Parameters<typeof writeHead>) => {
    if (!req.complete) res.setHeader('Connection', 'close')
    return writeHead.apply(res, head)
  }) as typeof writeHead
}
