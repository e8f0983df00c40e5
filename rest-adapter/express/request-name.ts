import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Request } from 'express'
import { ToolError } from '../../mcp/kernel/error.ts'

/** Bytes of an unread body that a payment is bound to; what follows them is bound by its length alone. */
const maxBound = 1 << 20

const hash = (value: string | Buffer): string => createHash('sha256').update(value).digest('base64url')

const hasBody = ({ headers }: Request): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** The first bytes of a body, put back so that the parsers of the application read all of it. */
const peek = (req: Request): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => {
      req.off('readable', readBody)
      req.off('close', broken)
      req.off('error', broken)
    }
    const broken = () => {
      stop()
      reject(new ToolError('malformed', 'The body of the request broke off.'))
    }
    const readBody = () => {
      while (size < maxBound) {
        const chunk = req.read() as Buffer | null
        if (chunk === null) break
        chunks.push(chunk)
        size += chunk.length
      }
      if (size < maxBound && !req.complete) return
      stop()
      const bytes = Buffer.concat(chunks)
      // Put back in the same turn: an empty stream would end before its reader comes.
      if (bytes.length > 0) req.unshift(bytes)
      setImmediate(() => resolve(bytes.subarray(0, maxBound)))
    }
    req.on('readable', readBody)
    req.on('close', broken)
    req.on('error', broken)
    readBody()
  })

const bodyDigest = async (req: Request): Promise<string> => {
  if (!hasBody(req)) return ''
  if (!req.readableEnded) return hash(await peek(req))
  const { body } = req as { body?: unknown }
  if (body === undefined) return ''
  return hash(Buffer.isBuffer(body) || typeof body === 'string' ? body : (canonicalize(body) ?? ''))
}

/** The request paid for: this method on this address with this body, whether a parser has read it or will. */
export type RequestName = { method: string; target: string; length: string; digest: string }

/** Names the request. Reads the start of a body that nobody has read, and leaves it whole. */
export const nameRequest = async (req: Request): Promise<RequestName> => ({
  method: req.method,
  target: req.originalUrl,
  length: req.headers['content-length'] ?? '',
  digest: await bodyDigest(req),
})
