import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EndpointAnswer } from '../mcp/kernel/endpoint.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { type Request, type Response, requestIdOf, siteOf } from '../mcp/kernel/http.ts'
import { sendRepresentation, toRepresentation } from '../mcp/kernel/representation.ts'
import { type Headers, send, sendEmpty } from './send.ts'

type Bytes = Extract<EndpointAnswer, { kind: 'bytes' }>

const computeTag = ({ etag, bytes }: Bytes): string =>
  etag ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 27)

/** Pages and their scripts: they go out compressed. */
const isPageText = (type: string): boolean => /^text\/(?:html|javascript)\b/.test(type)

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag))

/**
 * The one range that is asked for (RFC 9110 §14), as first and last byte; `all` for none, several or one that makes no sense,
 * and `none` for one that begins behind the end.
 */
const rangeIn = (header: string | undefined, size: number): readonly [number, number] | 'all' | 'none' => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return 'all'
  if (from === '') return Number(to) > 0 && size > 0 ? [Math.max(0, size - Number(to)), size - 1] : 'none'
  if (to !== '' && Number(to) < Number(from)) return 'all'
  if (Number(from) >= size) return 'none'
  return [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)]
}

/** The problem is ours, its status is that of RFC 9110 §15.5.17; what was paid for is said all the same. */
const refuseRange = (res: Response, size: number, headers: Headers): void => {
  const error = new ToolError('invalid_input', `Range: there are ${size} bytes.`, {
    reason: 'range_not_satisfiable',
  })
  const problem = {
    ...error.toProblem(siteOf(res), requestIdOf(res)),
    title: 'There are no such bytes',
    status: 416,
  }
  send(res, 416, 'application/problem+json', JSON.stringify(problem), {
    ...headers,
    'Cache-Control': 'no-store',
    'Content-Range': `bytes */${size}`,
  })
}

/** Answers with bytes: 304 for a validator that still holds (`If-None-Match`), 206 for a range, otherwise all of them. */
export const sendBytes = (req: Request, res: Response, answer: Bytes, more: Headers) => {
  const { bytes, type, status = 200, cache = 'no-store' } = answer
  const tag = computeTag(answer)
  const etag = `"${tag}"`
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const plain: Headers = {
    // What was paid for is the payer's; no cache in between may hand it to others.
    'Cache-Control': more['Cache-Control'] ?? cache,
    ...more,
    ...answer.headers,
  }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (isRead && status === 200 && isPageText(type) && req.headers.range === undefined) {
    const representation = { ...toRepresentation(type, body), tag }
    return sendRepresentation(req, res, representation, { maxAge: 0, vary: 'Origin', headers: plain })
  }
  const headers: Headers = {
    ...plain,
    ETag: etag,
    ...(isRead && status === 200 && { 'Accept-Ranges': 'bytes' }),
  }
  const whole = () => send(res, status, type, body, headers)
  if (!isRead || status !== 200) return whole()
  if (matches(req.headers['if-none-match'], etag)) {
    sendEmpty(res, 304, headers)
    return
  }
  const condition = req.headers['if-range']
  const isSame = condition === undefined || condition === etag
  const range = isSame && req.method === 'GET' ? rangeIn(req.headers.range, bytes.length) : 'all'
  if (range === 'all') return whole()
  if (range === 'none') return refuseRange(res, bytes.length, more)
  const [start, end] = range
  send(res, 206, type, body.subarray(start, end + 1), {
    ...headers,
    'Content-Range': `bytes ${start}-${end}/${bytes.length}`,
  })
}

type FileAnswer = Extract<EndpointAnswer, { kind: 'file' }>

/** Answers with a file that streams: 304, 206 and 416 as for bytes. One that breaks off ends the connection, so that nobody takes a part for the whole. */
export const sendFile = async (
  req: Request,
  res: Response,
  { type, size, etag: tag, read, headers: own }: FileAnswer,
  more: Headers,
): Promise<void> => {
  const etag = `"${tag}"`
  const headers = {
    'Cache-Control': 'private, no-store',
    ...more,
    ETag: etag,
    'Accept-Ranges': 'bytes',
    ...own,
  }
  if (matches(req.headers['if-none-match'], etag)) return sendEmpty(res, 304, headers)
  const condition = req.headers['if-range']
  const isSame = condition === undefined || condition === etag
  const range = isSame && req.method === 'GET' ? rangeIn(req.headers.range, size) : 'all'
  if (range === 'none') return refuseRange(res, size, more)
  if (res.headersSent || res.destroyed) return
  const [start, end] = range === 'all' ? [0, size - 1] : range
  res.writeHead(range === 'all' ? 200 : 206, {
    'Content-Type': type,
    'Content-Length': end + 1 - start,
    ...(range !== 'all' && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
    ...headers,
  })
  if (req.method === 'HEAD') {
    res.end()
    return
  }
  await pipeline(Readable.from(read({ start, end })), res).catch(() => res.destroy())
}
