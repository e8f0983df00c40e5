import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { isRecord } from '../mcp/lib/json.ts'
import { readEvents } from './events.ts'
import { headersOf } from './headers.ts'
import {
  claimedVersion,
  isResponse,
  type Line,
  parseMessages,
  type RpcMessage,
  type RpcRequest,
} from './message.ts'
import { RemoteFailure, tooLarge } from './remote-failure.ts'

export type RemoteServerOptions = {
  url: URL
  /** A bearer for the server; never part of a message or a report. */
  key?: string | undefined
  maxAnswerBytes?: number
  /** How long the server may send nothing while an answer is due. */
  silenceMs?: number
}

export type RemoteExchange = {
  signal?: AbortSignal | undefined
  /** `Mcp-Param-*` and the like. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Each message of the answer as it comes; what it resolves to is waited for. */
  onMessage(line: Line): unknown
}

/** The server that everything is forwarded to, over streamable HTTP in both eras. */
export type Remote = {
  readonly url: URL
  /**
   * Posts one message, and hands on each message of the answer. Resolves when a request has its response, or anything else was
   * accepted. Rejects with RemoteFailure.
   */
  post(line: Line, exchange: RemoteExchange): Promise<void>
  /** Remembers what `initialize` was answered with, for the headers of later messages. */
  negotiated(version: unknown): void
  /** Reads the stream of a session where the server has one, until it ends. */
  listen(onMessage: (line: Line) => unknown, signal: AbortSignal): Promise<void>
  /** Ends the session, if there is one, and every connection. */
  close(): Promise<void>
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be resolved now',
  ECONNRESET: 'the connection was cut',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  EPIPE: 'the connection was cut',
}

const unreachable = (url: URL, error: unknown): RemoteFailure => {
  if (error instanceof RemoteFailure) return error
  const code = isRecord(error) && typeof error.code === 'string' ? error.code : 'no answer'
  return new RemoteFailure(503, `${url.origin} cannot be reached: ${causes[code] ?? code}.`, error)
}

const wantsKey =
  'It wants to know who calls. Start connect with the environment variable OCTAGENT_CONNECT_KEY, or with --key; for a sign-in in a browser, add the address itself to your client, or use mcp-remote.'

/** Describes an HTTP status that no message of the protocol explains. */
const refusalOf = (url: URL, { statusCode: status = 500, headers }: IncomingMessage): RemoteFailure => {
  if (status === 401) return new RemoteFailure(401, `${url.origin} answered 401. ${wantsKey}`)
  if (status === 402)
    return new RemoteFailure(
      402,
      `${url.origin} wants to be paid for the request itself; connect pays for calls of tools.`,
    )
  if (status >= 300 && status < 400)
    return new RemoteFailure(
      502,
      `${url.origin} sends elsewhere (${status}). Start connect with the address of the server itself${redirect(url, headers.location)}.`,
    )
  if (status === 404 || status === 405)
    return new RemoteFailure(
      status,
      `${url.origin}${url.pathname} answered ${status}: no MCP server is there.`,
    )
  return new RemoteFailure(status >= 400 ? status : 502, `${url.origin} answered ${status}.`)
}

const redirect = (url: URL, location: string | undefined): string => {
  if (location === undefined || !URL.canParse(location, url.href)) return ''
  const { origin, pathname } = new URL(location, url)
  return `: ${origin}${pathname}`
}

const readText = async (response: IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += (chunk as Buffer).length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Lets a connection be used again where the answer ends by itself, else cuts it. */
const release = (response: IncomingMessage): void => {
  if (response.readableEnded || response.destroyed) return
  response.resume()
  const late = setTimeout(() => response.destroy(), 1000)
  response.on('close', () => clearTimeout(late))
}

const isEventStream = ({ headers }: IncomingMessage): boolean =>
  /^text\/event-stream\b/i.test(headers['content-type'] ?? '')

/** Streams that end without the response, one after the other without a new event, before the call is given up. */
const maxResumes = 3
const resumeMs = 500

/** Opens the way to a server. Nothing is sent before the first message. */
export const openRemote = ({
  url,
  key,
  maxAnswerBytes = 33_554_432,
  silenceMs = 300_000,
}: RemoteServerOptions): Remote => {
  const isTls = url.protocol === 'https:'
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const send = isTls ? requestHttps : requestHttp
  const session: { id?: string | undefined; version?: string | undefined } = {}
  let initialize: Line | undefined

  const exchange = (
    method: string,
    headers: Record<string, string>,
    body: string | undefined,
    { signal, timeout }: { signal?: AbortSignal | undefined; timeout?: number | undefined },
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const fields = {
        ...headers,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
      }
      const options = { method, headers: fields, agent, ...(signal && { signal }) }
      const outgoing = send(url, options, response => {
        // Who reads gets the error; without a listener, that of an answer nobody reads would end the program.
        response.on('error', () => undefined)
        resolve(response)
      })
      outgoing.on('error', error => reject(unreachable(url, error)))
      if (timeout !== undefined)
        outgoing.setTimeout(timeout, () =>
          outgoing.destroy(
            new RemoteFailure(504, `${url.origin} has sent nothing for ${timeout / 1000} seconds.`),
          ),
        )
      outgoing.end(body)
    })

  const sessionHeaders = (): Record<string, string> => ({
    ...(session.id !== undefined && { 'mcp-session-id': session.id }),
    ...(session.version !== undefined && { 'mcp-protocol-version': session.version }),
  })

  /**
   * Hands on what comes in a stream; resolves to the id of the last event, once the response came or the stream ended. A stream that is
   * cut after an event with an id has ended there: it can be read on.
   */
  const readStream = async (
    response: IncomingMessage,
    onLine: (line: Line) => Promise<boolean>,
  ): Promise<{ isDone: boolean; lastId?: string | undefined }> => {
    let lastId: string | undefined
    try {
      for await (const { data, id } of readEvents(response, maxAnswerBytes)) {
        if (id !== undefined) lastId = id
        for (const line of data === '' ? [] : (parseMessages(data) ?? []))
          if (await onLine(line)) return { isDone: true }
      }
    } catch (error) {
      if (lastId === undefined || error instanceof RemoteFailure) throw error
    }
    return { isDone: false, lastId }
  }

  const resume = async (
    lastId: string | undefined,
    signal: AbortSignal | undefined,
    onLine: (line: Line) => Promise<boolean>,
  ): Promise<boolean> => {
    let last = lastId
    for (let attempt = 0; last !== undefined && attempt < maxResumes; attempt++) {
      await pause(resumeMs, undefined, { signal })
      const headers = { accept: 'text/event-stream', ...sessionHeaders(), 'last-event-id': last }
      const response = await exchange('GET', headers, undefined, { signal, timeout: silenceMs })
      if (response.statusCode !== 200 || !isEventStream(response)) {
        release(response)
        return false
      }
      const { isDone, lastId: next } = await readStream(response, onLine)
      if (isDone) return true
      if (next !== undefined && next !== last) attempt = -1
      last = next ?? last
    }
    return false
  }

  const readAnswer = async (
    response: IncomingMessage,
    id: RpcRequest['id'],
    isLegacy: boolean,
    { onMessage, signal }: RemoteExchange,
  ): Promise<void> => {
    const onLine = async (line: Line): Promise<boolean> => {
      await onMessage(line)
      return isResponse(line.message) && line.message.id === id
    }
    if (response.statusCode === 200 && isEventStream(response)) {
      const { isDone, lastId } = await readStream(response, onLine)
      if (isDone || (isLegacy && (await resume(lastId, signal, onLine)))) return
      throw new RemoteFailure(502, `${url.origin} ended the answer before it was whole.`)
    }
    const text = await readText(response, maxAnswerBytes)
    const status = response.statusCode ?? 500
    if (status === 401) throw refusalOf(url, response)
    let isAnswered = false
    for (const line of parseMessages(text) ?? []) isAnswered = (await onLine(withId(line, id))) || isAnswered
    if (isAnswered) return
    if (status !== 200) throw refusalOf(url, response)
    throw new RemoteFailure(502, `${url.origin} sent no answer that belongs to the message.`)
  }

  /** A refusal of the whole request has no id, because the server may not have read it. */
  const withId = ({ message, text }: Line, id: RpcRequest['id']): Line =>
    message.id === null && 'error' in message ? { message: { ...message, id } } : { message, text }

  const postOnce = async (line: Line, { signal, headers }: RemoteExchange): Promise<IncomingMessage> => {
    const { message } = line
    const isModern = claimedVersion(message) !== undefined
    const fields = {
      accept: 'application/json, text/event-stream',
      ...headersOf(message),
      ...(!isModern && message.method !== 'initialize' && sessionHeaders()),
      ...headers,
    }
    const body = line.text ?? JSON.stringify(message)
    // A subscription says nothing until there is news.
    const timeout = message.method === 'subscriptions/listen' ? undefined : silenceMs
    return exchange('POST', fields, body, { signal, timeout })
  }

  /** A session that the server has forgotten is begun again, as the client began it. */
  const renew = async (signal: AbortSignal | undefined): Promise<void> => {
    if (!initialize) return
    session.id = undefined
    const none = { signal, onMessage: () => undefined }
    const response = await postOnce(initialize, none)
    takeSession(response)
    await readAnswer(response, (initialize.message as RpcRequest).id, true, none)
    release(response)
    const ready: RpcMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }
    release(await postOnce({ message: ready }, none))
  }

  const takeSession = ({ headers }: IncomingMessage): void => {
    const id = headers['mcp-session-id']
    if (typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id)) session.id = id
  }

  const post = async (line: Line, exchange: RemoteExchange): Promise<void> => {
    const { message } = line
    const isLegacy = claimedVersion(message) === undefined
    if (message.method === 'initialize') initialize = line
    const usedSession = session.id
    let response = await postOnce(line, exchange)
    if (
      response.statusCode === 404 &&
      isLegacy &&
      usedSession !== undefined &&
      message.method !== 'initialize'
    ) {
      release(response)
      if (session.id === usedSession) await renew(exchange.signal)
      response = await postOnce(line, exchange)
    }
    if (message.method === 'initialize') takeSession(response)
    const { id } = message
    try {
      if (typeof message.method === 'string' && (typeof id === 'string' || typeof id === 'number'))
        return await readAnswer(response, id, isLegacy, exchange)
      const status = response.statusCode ?? 500
      if (status >= 300) throw refusalOf(url, response)
    } catch (error) {
      throw exchange.signal?.aborted ? error : unreachable(url, error)
    } finally {
      release(response)
    }
  }

  return {
    url,
    post,
    negotiated(version) {
      session.version = typeof version === 'string' && /^[\w.-]{1,64}$/.test(version) ? version : undefined
    },
    async listen(onMessage, signal) {
      for (;;) {
        const headers = { accept: 'text/event-stream', ...sessionHeaders() }
        const response = await exchange('GET', headers, undefined, { signal })
        if (response.statusCode !== 200 || !isEventStream(response)) return release(response)
        const reading = readStream(response, async line => {
          await onMessage(line)
          return false
        })
        // A stream that was cut is opened again; one that cannot be opened is over.
        await reading.catch(() => response.destroy())
        await pause(1000, undefined, { signal })
      }
    },
    async close() {
      if (session.id !== undefined) {
        const ended = exchange('DELETE', sessionHeaders(), undefined, { timeout: 2000 })
        await ended.then(release).catch(() => undefined)
      }
      agent.destroy()
    },
  }
}
