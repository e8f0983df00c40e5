import type { Request, Response } from '../kernel/http.ts'
import { compressedFor, type Representation, toRepresentation } from '../kernel/representation.ts'
import { isRecord } from '../lib/json.ts'

/** Answers that are kept compressed: clients count their ids from the same number, so few differ. */
const maxKept = 8

const isList = (body: unknown): boolean => isRecord(body) && body.method === 'tools/list'

type Head = { status: number; headers: Record<string, string | string[] | number> }

const headOf = (status: number, rest: readonly unknown[]): Head => {
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
  const kept = new Map<string, Representation>()

  const representationOf = (text: string): Representation => {
    const known = kept.get(text)
    const made = known ?? toRepresentation('application/json', text)
    // The one that was asked for last is dropped last.
    kept.delete(text)
    kept.set(text, made)
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break
      kept.delete(oldest)
    }
    return made
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
      const { encoding, bytes } = await compressedFor(req, representationOf(text))
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
        const asked = headOf(status, rest)
        const type = asked.headers['content-type'] ?? res.getHeader('content-type')
        const isPlain = status === 200 && !rest.some(Array.isArray)
        if (isPlain && String(type).startsWith('application/json')) {
          head = asked
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
