import { once } from 'node:events'
import type { StreamEvent } from '../mcp/kernel/endpoint.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Response } from '../mcp/kernel/http.ts'
import type { Headers } from './send.ts'

const heartbeatMs = 15_000

/** Streams that one client, and all of them, may have open on one route. */
const maxPerClient = 16
const maxOpen = 1000

/** One event in the format of server-sent events (HTML, section 9.2.6): JSON is one line, so `data` is too. */
const frame = ({ id, event, data }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${line(id)}\n`}${event === undefined ? '' : `event: ${line(event)}\n`}data: ${JSON.stringify(data)}\n\n`

const line = (text: string): string => text.replace(/[\r\n\0]/g, ' ')

/** The open streams of one route: counted per client, kept alive, and written only as fast as their clients read. */
export const openEventStreams = () => {
  const open = new Map<string, number>()
  let all = 0

  return {
    /** Throws 429 or 503 where a client, or everybody, has as many streams open as may be. */
    check(client: string): void {
      if ((open.get(client) ?? 0) >= maxPerClient)
        throw new ToolError('too_many_requests', `${maxPerClient} streams are open for this client.`, {
          retryAfter: 30,
        })
      if (all >= maxOpen) throw new ToolError('unavailable', 'Too many streams are open.', { retryAfter: 30 })
    },

    /** Counts a stream until its response is closed. */
    take(client: string, res: Response): void {
      open.set(client, (open.get(client) ?? 0) + 1)
      all++
      res.once('close', () => {
        all--
        const left = (open.get(client) ?? 1) - 1
        if (left > 0) open.set(client, left)
        else open.delete(client)
      })
    },

    /** Writes events until they end or the client goes; a comment every 15 seconds keeps proxies from closing it. */
    async send(
      res: Response,
      events: AsyncIterable<StreamEvent>,
      signal: AbortSignal,
      headers: Headers,
    ): Promise<void> {
      if (res.destroyed) return
      res.writeHead(200, {
        ...headers,
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      })
      res.flushHeaders()
      const beat = setInterval(() => {
        if (!res.writableNeedDrain) res.write(': keep-alive\n\n')
      }, heartbeatMs)
      beat.unref()
      try {
        for await (const event of events) {
          if (signal.aborted) break
          if (!res.write(frame(event))) await once(res, 'drain', { signal })
        }
      } catch (thrown) {
        if (!signal.aborted) res.write(`event: error\ndata: ${JSON.stringify({ code: 'internal' })}\n\n`)
        if (!signal.aborted) throw thrown
      } finally {
        clearInterval(beat)
        res.end()
      }
    },
  }
}
