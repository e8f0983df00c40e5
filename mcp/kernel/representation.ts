import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, Response } from './http.ts'
import { setHeld } from './whole-answer.ts'

const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

/** Below this, head and checksum of a compressed body cost more than it saves. */
export const minCompressed = 1024

/** A document as it goes over the wire: written once, compressed once for each encoding, at the first request for it. */
export type Representation = {
  readonly type: string
  readonly body: Buffer
  /** Strong validator of the body as it stands, without quotes; each encoding has its own, `<tag>-gzip`. */
  readonly tag: string
  encoded(encoding: Encoding): Promise<Buffer>
}

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  gzip: body => promisify(gzip)(body, { level: 9 }),
  // Quality 5 is smaller than gzip 9 and takes milliseconds; 11 takes a second for the registry.
  br: body => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
}

/** Makes a representation of a text or of bytes that do not change any more. */
export const toRepresentation = (type: string, text: string | Buffer): Representation => {
  const body = Buffer.from(text)
  const bodyByEncoding = new Map<Encoding, Promise<Buffer>>()
  return {
    type,
    body,
    tag: createHash('sha256').update(body).digest('base64url').slice(0, 27),
    encoded(encoding) {
      const bytes = bodyByEncoding.get(encoding) ?? compress[encoding](body)
      bodyByEncoding.set(encoding, bytes)
      bytes.catch(() => bodyByEncoding.delete(encoding))
      return bytes
    },
  }
}

/** The encoding of ours that an Accept-Encoding likes best (RFC 9110 §12.5.3); undefined for the bytes as they are. */
export const encodingFor = (header: string | string[] | undefined): Encoding | undefined => {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',', 20)
      .map(part => {
        const [name = '', ...params] = part.split(';').map(text => text.trim())
        const quality = Number(params.find(param => param.startsWith('q='))?.slice(2) ?? '1')
        return [name, quality > 0 ? quality : 0] as const
      }),
  )
  const quality = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = [...encodings].sort((one, other) => quality(other) - quality(one))
  return best && quality(best) > 0 ? best : undefined
}

const isFresh = ({ headers }: Request, tag: string, modified: Date | undefined): boolean => {
  const match = headers['if-none-match']
  if (match !== undefined)
    return match.split(',', 20).some(candidate => {
      const bare = candidate.trim().replace(/^W\//, '')
      return (
        bare === '*' || bare === `"${tag}"` || encodings.some(encoding => bare === `"${tag}-${encoding}"`)
      )
    })
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return modified !== undefined && !Number.isNaN(since) && since >= modified.getTime()
}

type RepresentationOptions = {
  readonly maxAge: number
  /** Request headers besides Accept-Encoding that the answer depends on. */
  readonly vary?: string
  readonly modified?: Date
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers with a representation, compressed as the client likes it, or with 304 when it has these bytes already. */
export const sendRepresentation = async (
  req: Request,
  res: Response,
  representation: Representation,
  { maxAge, vary, modified, headers: more }: RepresentationOptions,
): Promise<void> => {
  const { type, body, tag } = representation
  const encoding = body.length < minCompressed ? undefined : encodingFor(req.headers['accept-encoding'])
  const headers = {
    ETag: encoding ? `"${tag}-${encoding}"` : `"${tag}"`,
    Vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
    'Cache-Control': `public, max-age=${maxAge}`,
    ...(modified && { 'Last-Modified': modified.toUTCString() }),
    ...more,
  }
  setHeld(res)
  if (isFresh(req, tag, modified)) {
    if (!res.headersSent && !res.destroyed) res.writeHead(304, headers).end()
    return
  }
  const bytes = encoding ? await representation.encoded(encoding) : body
  if (res.headersSent || res.destroyed) return
  res.writeHead(200, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    ...(encoding && { 'Content-Encoding': encoding }),
    ...headers,
  })
  res.end(bytes)
}
