import type { Request, Response } from '../kernel/http.ts'
import { encodingFor, minCompressed } from '../kernel/representation.ts'
import { isRecord } from '../lib/json.ts'
import { type CompressedHead, compressHead, maxTail } from '../lib/stored-tail.ts'

/** Lists that are kept compressed: one for each service, era and choice of tools that is asked for. */
const maxKept = 16

const isList = (body: unknown): boolean => isRecord(body) && body.method === 'tools/list'

type Head = { status: number; headers: Record<string, string | string[] | number> }

const readHead = (status: number, rest: readonly unknown[]): Head => {
  const [given] = rest.filter(isRecord)
  const headers: Head['headers'] = {}
  for (const [name, value] of Object.entries(given ?? {}))
    if (typeof value === 'string' || typeof value === 'number' || Array.isArray(value))
      headers[name.toLowerCase()] = value
  return { status, headers }
}

/** Where the id of an answer begins, which stands last; the end of a text that has none there. */
const idStart = (text: string): number => {
  const start = text.lastIndexOf(',"jsonrpc":"2.0","id":')
  return start >= 0 && text.length - start < maxTail >> 2 ? start : text.length - 1
}

/**
 * Compresses what a library answers to `tools/list`, where the client takes that: a long list is the same for everybody but for the id,
 * so what stands before that is compressed once and kept. Anything but JSON goes out as it comes.
 */
export const openListCompression = () => {
  const heads = new Map<string, CompressedHead>()

  const loadHead = (text: string): CompressedHead => {
    const head = heads.get(text) ?? compressHead(Buffer.from(text))
    // The one that was asked for last is dropped last.
    heads.delete(text)
    heads.set(text, head)
    for (const oldest of heads.keys()) {
      if (heads.size <= maxKept) break
      heads.delete(oldest)
    }
    return head
  }

  return (req: Request, res: Response, body: unknown): void => {
    if (!isList(body) || req.headers['accept-encoding'] === undefined) return
    const { writeHead, write, end } = res
    const chunks: Buffer[] = []
    let head: Head | undefined

    const restore = () => Object.assign(res, { writeHead, write, end })
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk))
      if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    }
    const finish = async ({ status, headers }: Head): Promise<void> => {
      const whole = Buffer.concat(chunks)
      const text = whole.toString()
      const encoding = whole.length < minCompressed ? undefined : encodingFor(req.headers['accept-encoding'])
      const start = idStart(text)
      const bytes = encoding
        ? await loadHead(text.slice(0, start))[encoding](Buffer.from(text.slice(start)))
        : whole
      if (res.headersSent || res.destroyed) return
      res.appendHeader('Vary', 'Accept-Encoding')
      res.writeHead(status, {
        ...headers,
        'content-length': bytes.length,
        ...(encoding && { 'content-encoding': encoding }),
      })
      res.end(bytes)
    }

    Object.assign(res, {
      writeHead(status: number, ...rest: unknown[]) {
        const next = readHead(status, rest)
        const type = next.headers['content-type'] ?? res.getHeader('content-type')
        const isPlain = status === 200 && !rest.some(Array.isArray)
        if (isPlain && String(type).startsWith('application/json')) {
          head = next
          return res
        }
        restore()
        return Reflect.apply(writeHead, res, [status, ...rest])
      },
      write(chunk: unknown, ...rest: unknown[]) {
        if (!head) {
          restore()
          return Reflect.apply(write, res, [chunk, ...rest])
        }
        keep(chunk)
        return true
      },
      end(chunk: unknown, ...rest: unknown[]) {
        restore()
        if (!head) return Reflect.apply(end, res, [chunk, ...rest])
        keep(chunk)
        finish(head).catch(() => res.destroy())
        return res
      },
    })
  }
}
