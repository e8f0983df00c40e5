import { once } from 'node:events'
import type { StreamEvent } from '../mcp/kernel/endpoint.ts'
import { type Problem, ToolError } from '../mcp/kernel/error.ts'
import type { Response } from '../mcp/kernel/http.ts'
import { toNetwork } from '../mcp/kernel/origin.ts'
import { openShares } from '../mcp/lib/shares.ts'
import type { Headers } from './send.ts'

export type EventStreamOptions = {
  /** Milliseconds between comments that keep proxies from closing a stream without news. Default 15,000. */
  heartbeatMs?: number
  /** Streams that one client may have open on one route. Default 16. */
  maxPerClient?: number
  /** Streams that all clients may have open on one route; no network has more than it leaves to others. Default 1000. */
  maxOpen?: number
}

const line = (text: string): string => text.replace(/[\r\n\0]/g, ' ')

/** One event in the format of server-sent events (HTML, section 9.2.6): JSON is one line, so `data` is too. */
const frame = ({ id, event, data }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${line(id)}\n`}${event === undefined ? '' : `event: ${line(event)}\n`}data: ${JSON.stringify(data)}\n\n`

/** Resolves to undefined when the signal aborts, whatever the iterator waits for then. */
const nextUnless = (
  signal: AbortSignal,
  iterator: AsyncIterator<StreamEvent>,
): Promise<IteratorResult<StreamEvent> | undefined> =>
  new Promise((resolve, reject) => {
    const leave = () => resolve(undefined)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })

/** The open streams of one route: counted per client, kept alive, and written only as fast as their clients read. */
export const openEventStreams = ({
  heartbeatMs = 15_000,
  maxPerClient = 16,
  maxOpen = 1000,
}: EventStreamOptions = {}) => {
  const open = new Map<string, number>()
  const shares = openShares(maxOpen, toNetwork)
  let all = 0

  /** Throws 429 or 503 where a client, its network, or everybody has as many streams open as may be. */
  const check = (client: string): void => {
    if ((open.get(client) ?? 0) >= maxPerClient)
      throw new ToolError('too_many_requests', `${maxPerClient} streams are open for this client.`, {
        retryAfter: 30,
        hint: 'Close one of them first.',
      })
    if (!shares.has(client))
      throw new ToolError('unavailable', 'Too many streams are open.', { retryAfter: 30 })
  }

  /** Counts a stream until its response is closed. */
  const take = (client: string, res: Response): void => {
    open.set(client, (open.get(client) ?? 0) + 1)
    all++
    const isShared = shares.take(client)
    res.once('close', () => {
      all--
      if (isShared) shares.giveBack(client)
      const remaining = (open.get(client) ?? 1) - 1
      if (remaining > 0) open.set(client, remaining)
      else open.delete(client)
    })
  }

  const write = async (res: Response, iterator: AsyncIterator<StreamEvent>, signal: AbortSignal) => {
    for (;;) {
      const next = await nextUnless(signal, iterator)
      if (!next || next.done || signal.aborted) return
      if (!res.write(frame(next.value))) await once(res, 'drain', { signal })
    }
  }

  return {
    check,

    /** How many streams are open now. */
    count: (): number => all,

    /**
     * Writes events until they end or the client goes. A failure becomes a last event `error` with the problem that `toProblem` makes of
     * it. `isPaid` lets a stream past the limit, which was looked at before the payment.
     */
    async send(
      res: Response,
      events: AsyncIterable<StreamEvent>,
      signal: AbortSignal,
      {
        client,
        headers,
        isHead,
        isPaid,
        toProblem,
      }: {
        client: string
        headers: Headers
        isHead: boolean
        isPaid: boolean
        toProblem(cause: unknown): Problem
      },
    ): Promise<void> {
      const iterator = events[Symbol.asyncIterator]()
      // One that waits for something is ended by the signal; this cannot wait for it.
      const end = () => void iterator.return?.()?.catch(() => undefined)
      if (res.destroyed || signal.aborted) return end()
      try {
        // Many may have asked at the same time, when none of them was open yet.
        if (!isPaid) check(client)
      } catch (error) {
        end()
        throw error
      }
      res.writeHead(200, {
        ...headers,
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      })
      if (isHead) {
        end()
        res.end()
        return
      }
      take(client, res)
      res.flushHeaders()
      const beat = setInterval(() => {
        if (!res.writableNeedDrain) res.write(': keep-alive\n\n')
      }, heartbeatMs)
      beat.unref()
      try {
        await write(res, iterator, signal)
      } catch (cause) {
        if (!signal.aborted) res.write(`event: error\ndata: ${JSON.stringify(toProblem(cause))}\n\n`)
      } finally {
        clearInterval(beat)
        end()
        res.end()
      }
    },
  }
}
