import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'
import type { Response } from 'express'

type Headers = Readonly<Record<string, number | string | readonly string[]>>

/** Answer of a handler: status, the headers it set, and its bytes; undefined bytes for a stream, which is under way. */
export type HandlerAnswer = {
  status: number
  message: string | undefined
  headers: Headers
  body: Buffer | undefined
}

type Head = Omit<HandlerAnswer, 'body'>

type Options = {
  /** Called before the first byte of a stream is sent; where it is left out, a stream is collected like any other answer. */
  onStream?: ((head: Head) => Promise<void>) | undefined
  /** Milliseconds that a handler may go on after its client has left. */
  abandonMs: number
}

/** They belong to the connection or to the message as it is sent, not to the answer. */
const ofTheMessage = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

const toBytes = (chunk: unknown, encoding: unknown): Buffer =>
  typeof chunk === 'string'
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : Buffer.from(chunk as Uint8Array)

const applyHeaders = (res: Response, headers: unknown): void => {
  if (Array.isArray(headers)) {
    const pairs = Array.isArray(headers[0])
      ? (headers as [string, OutgoingHttpHeader][])
      : headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]] as const] : []))
    for (const [name, value] of pairs) res.appendHeader(String(name), value as string)
    return
  }
  for (const [name, value] of Object.entries((headers ?? {}) as OutgoingHttpHeaders))
    if (value !== undefined) res.setHeader(name, value)
}

const same = (one: unknown, other: unknown): boolean => String(one) === String(other)

/** The headers that the handler set, beside what middleware before it had set for this very client. */
const ownHeaders = (before: OutgoingHttpHeaders, after: OutgoingHttpHeaders): Headers =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => value !== undefined && !ofTheMessage.has(name) && !same(before[name], value),
    ),
  ) as Headers

const isStream = (res: Response): boolean =>
  String(res.getHeader('content-type') ?? '').startsWith('text/event-stream')

/** A handler that is waited for no more: its client left, and it did not end. */
class Abandoned extends Error {
  override readonly name = 'Abandoned'
}

/**
 * Runs a handler and holds back what it writes, so that it is sealed before it is sent. A stream is let through from its first byte
 * once `onStream` is done. The handler is not stopped by a client that leaves.
 */
export const bufferAnswer = (
  res: Response,
  run: () => unknown,
  { onStream, abandonMs }: Options,
): Promise<HandlerAnswer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const before = { ...res.getHeaders() }
    const { write, end, writeHead, flushHeaders } = res
    let state: 'open' | 'opening' | 'over' = 'open'
    let ended = false
    let timer: NodeJS.Timeout | undefined

    const restore = () => Object.assign(res, { write, end, writeHead, flushHeaders })
    /** The response as it was, for whoever answers now: the handler's answer, or a refusal that must say nothing of it. */
    const clear = () => {
      for (const name of res.getHeaderNames()) {
        const value = before[name]
        if (value === undefined) res.removeHeader(name)
        else res.setHeader(name, value)
      }
      res.statusCode = 200
    }
    const finish = () => {
      state = 'over'
      clearTimeout(timer)
      res.off('close', onClose)
    }
    const onClose = () => {
      timer = setTimeout(() => fail(new Abandoned('the client left and the handler did not end')), abandonMs)
      timer.unref()
    }
    const fail = (error: unknown) => {
      if (state === 'over') return
      finish()
      restore()
      if (!res.headersSent) clear()
      reject(error)
    }
    const head = (): Head => ({
      status: res.statusCode,
      message: res.statusMessage || undefined,
      headers: ownHeaders(before, res.getHeaders()),
    })

    const stream = async (open: NonNullable<Options['onStream']>) => {
      state = 'opening'
      const first = head()
      try {
        await open(first)
      } catch (error) {
        return fail(error)
      }
      finish()
      restore()
      res.flushHeaders()
      for (const chunk of chunks) res.write(chunk)
      if (ended) res.end()
      resolve({ ...first, body: undefined })
    }

    const take = (chunk: unknown, encoding: unknown) => {
      if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
        chunks.push(toBytes(chunk, encoding))
      if (state === 'open' && onStream && res.statusCode < 400 && isStream(res)) void stream(onStream)
    }

    const callBack = (...args: unknown[]) => {
      const callback = args.find(argument => typeof argument === 'function')
      if (callback) process.nextTick(callback as () => void)
    }

    Object.assign(res, {
      writeHead: (status: number, ...rest: unknown[]) => {
        res.statusCode = status
        if (typeof rest[0] === 'string') res.statusMessage = rest[0]
        applyHeaders(
          res,
          rest.find(argument => typeof argument === 'object'),
        )
        return res
      },
      flushHeaders: () => take(undefined, undefined),
      write: (chunk: unknown, encoding?: unknown, callback?: unknown) => {
        if (!ended) take(chunk, encoding)
        callBack(encoding, callback)
        return true
      },
      end: (chunk?: unknown, encoding?: unknown, callback?: unknown) => {
        if (ended) return res
        take(chunk, encoding)
        ended = true
        callBack(chunk, encoding, callback)
        if (state !== 'open') return res
        finish()
        const answer = { ...head(), body: Buffer.concat(chunks) }
        restore()
        clear()
        resolve(answer)
        return res
      },
    })
    res.on('close', onClose)
    if (res.closed) onClose()
    try {
      Promise.resolve(run()).catch(fail)
    } catch (error) {
      fail(error)
    }
  })

/** Puts an answer onto a response that has none yet. */
export const sendAnswer = (res: Response, { status, message, headers, body }: HandlerAnswer): void => {
  if (res.headersSent || res.destroyed) return
  res.statusCode = status
  if (message !== undefined) res.statusMessage = message
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.end(body)
}
