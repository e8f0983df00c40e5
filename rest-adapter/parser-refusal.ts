import type { Socket } from 'node:net'
import { ToolError } from '../mcp/kernel/error.ts'
import { linger } from './closing.ts'
import { answeredMethods } from './table.ts'

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

type Refusal = { status: number; reason: string; error: ToolError }

/** The line at which the parser stopped. */
const readBadLine = ({ rawPacket, bytesParsed = 0 }: ParserError): string => {
  const text = rawPacket?.toString('latin1') ?? ''
  return text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1)
}

const requestLine = /^[!#$%&'*+.^`|~\w-]+ \S/

const refusalFor = (cause: ParserError): Refusal => {
  const { code } = cause
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return {
      status: 408,
      reason: 'Request Timeout',
      error: new ToolError('timeout', 'The request did not arrive in time.', { hint: 'Send it at once.' }),
    }
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      status: 431,
      reason: 'Request Header Fields Too Large',
      error: new ToolError('too_large', 'The header fields are over 16 KiB.', {
        hint: 'Send fewer or shorter ones.',
      }),
    }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return {
      status: 413,
      reason: 'Content Too Large',
      error: new ToolError('too_large', 'The chunk extensions of the body are over 16 KiB.'),
    }
  if (code === 'HPE_INVALID_METHOD' && requestLine.test(readBadLine(cause)))
    return {
      status: 405,
      reason: 'Method Not Allowed',
      error: new ToolError('method_not_allowed', 'There is no such method here.', {
        hint: `The methods are ${answeredMethods}.`,
        headers: { Allow: answeredMethods },
      }),
    }
  return {
    status: 400,
    reason: 'Bad Request',
    error: new ToolError('malformed', 'This is not a well-formed HTTP/1.1 request.', {
      hint: 'RFC 9112 says how its lines, Content-Length and Transfer-Encoding must be written.',
    }),
  }
}

/** A problem as the whole of an HTTP answer, for connections on which there is no request to answer. */
const toAnswer = ({ status, reason, error }: Refusal, site: string): string => {
  const body = JSON.stringify({ ...error.toProblem(site), status })
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...error.headers,
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`
}

/** Answers what Node's parser could not read, or not in time, with a problem document, and closes the connection. */
export const refuseUnparsed = (socket: Socket, error: ParserError, site: string): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  socket.write(toAnswer(refusalFor(error), site))
  linger(socket)
}

/** Answers CONNECT, which asks for a tunnel and so has no response object. */
export const refuseTunnel = (socket: Socket, site: string): void => {
  const error = new ToolError('method_not_allowed', 'This is no proxy: there is no CONNECT.', {
    hint: `The methods are ${answeredMethods}.`,
    headers: { Allow: answeredMethods },
  })
  socket.write(toAnswer({ status: 405, reason: 'Method Not Allowed', error }, site))
  linger(socket)
}
