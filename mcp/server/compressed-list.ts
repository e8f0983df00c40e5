import type { Request, Response } from '../kernel/http.ts'
import { compressedFor, type Representation, toRepresentation } from '../kernel/representation.ts'
import { isRecord } from '../lib/json.ts'

/** Answers that are kept compressed: clients count their ids from the same number, so few differ. */
const maxKept = 8

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

/**
 * Compresses what a library answers to `tools/list`, where the client takes that: a long list is the same for everybody but for the id,
 * so it is compressed once and kept. Anything but JSON goes out as it comes.
 */
export const openListCompression = () => {
  const representations = new Map<string, Representation>()

  const loadRepresentation = (text: string): Representation => {
    const stored = representations.get(text)
    const representation = stored ?? toRepresentation('application/json', text)
    // The one that was asked for last is dropped last.
    representations.delete(text)
    representations.set(text, representation)
    for (const oldest of representations.keys()) {
      if (representations.size <= maxKept) break
      representations.delete(oldest)
    }
    return representation
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
      const text = Buffer.concat(chunks).toString()
      const { encoding, bytes } = await compressedFor(req, loadRepresentation(text))
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
