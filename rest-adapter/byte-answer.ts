import { createHash } from 'node:crypto'
import type { EndpointAnswer } from '../mcp/kernel/endpoint.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import { type Headers, send } from './send.ts'

type Bytes = Extract<EndpointAnswer, { kind: 'bytes' }>

const etagOf = ({ etag, bytes }: Bytes): string =>
  `"${etag ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag))

/** The one range that is asked for (RFC 9110 §14), as first and last byte; undefined for none or several, which get the whole. */
const rangeIn = (header: string | undefined, size: number): [number, number] | undefined => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (start <= end && start < size && !(from === '' && Number(to) === 0)) return [start, end]
  throw new ToolError('invalid_input', `Range: there are ${size} bytes.`, {
    reason: 'range_not_satisfiable',
    headers: { 'Content-Range': `bytes */${size}` },
  })
}

/** Answers with bytes: 304 for a validator that still holds (`If-None-Match`), 206 for a range, otherwise all of them. */
export const sendBytes = (req: Request, res: Response, answer: Bytes, more: Headers): void => {
  const { bytes, type, status = 200, cache = 'no-store' } = answer
  const etag = etagOf(answer)
  const headers: Headers = {
    'X-Content-Type-Options': 'nosniff',
    ...more,
    'Cache-Control': cache,
    ETag: etag,
    'Accept-Ranges': 'bytes',
    ...answer.headers,
  }
  if (req.method === 'GET' && status === 200) {
    if (matches(req.headers['if-none-match'], etag)) {
      res.writeHead(304, headers)
      res.end()
      return
    }
    const condition = req.headers['if-range']
    const isSame = condition === undefined || condition === etag
    const range = isSame ? rangeIn(req.headers.range, bytes.length) : undefined
    if (range) {
      const [start, end] = range
      const part = Buffer.from(bytes.subarray(start, end + 1))
      const place = `bytes ${start}-${end}/${bytes.length}`
      send(res, 206, type, part, { ...headers, 'Content-Range': place })
      return
    }
  }
  send(res, status, type, Buffer.from(bytes), headers)
}
