import type { Response } from './http.ts'

/** Names and values of headers in turn, as Node takes a whole head at once. */
export type HeaderList = readonly (string | number)[]

const answerHeaders = Symbol('headers of every answer')

type Holding = Response & { [answerHeaders]?: HeaderList | undefined }

/** Notes headers that the answer will have, however it is written: by `sendWhole`, which writes them with its own, or after `setHeld`. */
export const holdHeaders = (res: Response, headers: HeaderList): void => {
  ;(res as Holding)[answerHeaders] = headers
}

/** Sets the headers that are held, for whoever writes the answer by Node's own means. To set each is dear. */
export const setHeld = (res: Holding): void => {
  const headers = res[answerHeaders]
  if (!headers) return
  res[answerHeaders] = undefined
  for (let at = 0; at < headers.length; at += 2) res.setHeader(String(headers[at]), headers[at + 1] ?? '')
}

type Ending = { readonly res: Response; readonly body: string; readonly encoding: 'latin1' | 'utf8' }

let endings: Ending[] = []

const endAll = (): void => {
  const due = endings
  endings = []
  for (const { res, body, encoding } of due) {
    if (res.destroyed) continue
    try {
      res.end(body, encoding)
    } catch (error) {
      // What somebody else put around one answer must not keep the others from their clients.
      res.destroy(error instanceof Error ? error : undefined)
    }
  }
}

/**
 * Ends an answer whose head is written, together with all others of this turn of the event loop, once what had arrived is handled: to
 * read, to work and to write in turns of their own takes a quarter less than to do all three for one request after the other.
 */
export const endWithTurn = (res: Response, body: string, bytes: number): void => {
  // ASCII is the same bytes in both, and cheaper to write as Latin-1.
  const encoding = bytes === body.length ? 'latin1' : 'utf8'
  if (endings.push({ res, body, encoding }) === 1) setImmediate(endAll)
}

/**
 * Writes a whole answer at the end of this turn, with the headers that are held; none of `more` may be one of them. Does nothing when the
 * client has gone or something was written already.
 */
export const sendWhole = (
  res: Holding,
  status: number,
  type: string,
  body: string,
  more: HeaderList = [],
): void => {
  if (res.headersSent || res.destroyed) return
  const headers = res[answerHeaders] ?? []
  const bytes = Buffer.byteLength(body)
  res[answerHeaders] = undefined
  res.writeHead(status, [...headers, 'Content-Type', type, 'Content-Length', bytes, ...more] as string[])
  endWithTurn(res, body, bytes)
}
