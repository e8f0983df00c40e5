import type { Response } from '../mcp/kernel/http.ts'
import { setHeld } from '../mcp/kernel/whole-answer.ts'

export type Headers = Readonly<Record<string, string>>

type SentHeaders = Readonly<Record<string, string | string[]>>

export const json = 'application/json; charset=utf-8'

/** Writes a response without a body. Does nothing when the client has gone or something was written already. */
export const sendEmpty = (res: Response, status: 202 | 204 | 304 | 307, headers?: Headers): void => {
  if (res.headersSent || res.destroyed) return
  setHeld(res)
  res.writeHead(status, {
    'Cache-Control': 'no-store',
    ...((status === 202 || status === 307) && { 'Content-Length': 0 }),
    ...headers,
  })
  res.end()
}

/** Writes a whole response at once. Does nothing when the client has gone or something was written already. */
export const send = (
  res: Response,
  status: number,
  type: string,
  body: string | Buffer,
  headers?: SentHeaders,
): void => {
  if (res.headersSent || res.destroyed) return
  setHeld(res)
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...headers,
  })
  res.end(body)
}
