import type { Request, Response } from '../kernel/http.ts'
import { leaving } from '../kernel/http.ts'
import { endWithTurn } from '../kernel/whole-answer.ts'
import { isRecord } from '../lib/json.ts'
import { readMeta } from './era.ts'
import type { ToolRequest } from './surface.ts'

/** Facts for a handler about the HTTP request it answers. */
export type HttpExchange = { readonly req: Request; readonly signal: ToolRequest['signal'] }

/** The exchange that a handler answers, by the id that its server knows it by and the signal that it got from the SDK. */
export type ExchangeOf = (id: string | number, signal: AbortSignal) => HttpExchange

/** The transport of a server of either SDK, as far as it is used here. */
type Transport = {
  onmessage?: ((message: never, extra?: never) => void) | undefined
  send(message: never, options?: never): Promise<void>
}

/** A request that is answered without an SDK's own transport. */
export type PlainRequest = { id: string | number; method: 'tools/call' | 'tools/list'; params?: unknown }

type Pending = HttpExchange & {
  res: Response
  id: string | number
  isList: boolean
  /** While the server looks at the message and no handler runs yet. */
  isArriving: boolean
  isRefused: boolean
}

type Answer = { id?: string | number; error?: unknown; result?: unknown }

const isJson = /^application\/json\s*(?:;|$)/i

/** A list that asks for nothing in particular is the same for everybody. */
const isWholeList = ({ method, params }: PlainRequest): boolean =>
  method === 'tools/list' &&
  (params === undefined || (isRecord(params) && Object.keys(params).every(name => name === '_meta')))

/** A call that answers no question: the SDK's own transport checks what comes back. */
const isFirstCall = ({ method, params }: Record<string, unknown>): boolean =>
  method === 'tools/call' &&
  !(isRecord(params) && (params.requestState !== undefined || params.inputResponses !== undefined))

/**
 * True for a request that needs nothing of a transport but its answer as JSON: one call or one list, in a body and under headers as
 * the specification wants them, from a client that waits for no progress. Everything else goes the way of the SDK's own transport.
 */
export const isPlain = ({ headers }: Request, body: unknown): body is PlainRequest => {
  const { accept = '', 'content-type': type = '' } = headers
  return (
    isRecord(body) &&
    body.id !== undefined &&
    (isFirstCall(body) || isWholeList(body as PlainRequest)) &&
    isJson.test(type) &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    readMeta(body).progressToken === undefined
  )
}

const sendJson = (res: Response, text: string): void => {
  if (res.headersSent || res.destroyed) return
  const bytes = Buffer.byteLength(text)
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes })
  endWithTurn(res, text, bytes)
}

/** The one server of a surface that answers plain requests. */
export type KeptServer = {
  /** Hands over a request. False when the server refuses it before any handler runs: nothing is written then. */
  ask(req: Request, res: Response, body: PlainRequest, extra?: object): boolean
}

/**
 * Keeps one server of an SDK for all plain requests of a surface: to make one for each costs more than most calls. Each request gets an
 * id of its own here, since clients all count from the same number. What the server lists is written once and then repeated, because it
 * cannot change.
 */
export const keepServer = async (
  transport: Transport,
  make: (exchangeOf: ExchangeOf) => Promise<{ connect(transport: never): Promise<void> }>,
): Promise<KeptServer> => {
  const pending = new Map<string | number, Pending>()
  let last = 0
  let list: { before: string; after: string } | undefined

  const writeList = (answer: Answer, id: string | number): string => {
    if (!answer.error && !list) {
      const mark = JSON.stringify({ ...answer, id: '\u0000' })
      const at = mark.lastIndexOf('"\\u0000"')
      list = { before: mark.slice(0, at), after: mark.slice(at + '"\\u0000"'.length) }
    }
    return list ? list.before + JSON.stringify(id) + list.after : JSON.stringify({ ...answer, id })
  }

  transport.send = async (answer: Answer) => {
    const exchange = answer.id === undefined ? undefined : pending.get(answer.id)
    if (answer.id === undefined || !exchange) return
    pending.delete(answer.id)
    if (exchange.isArriving && answer.error !== undefined) exchange.isRefused = true
    else if (exchange.isList) sendJson(exchange.res, writeList(answer, exchange.id))
    else sendJson(exchange.res, JSON.stringify({ ...answer, id: exchange.id }))
  }
  const server = await make(id => {
    const exchange = pending.get(id)
    if (!exchange) throw new Error('a handler ran for a request that is answered')
    return exchange
  })
  await server.connect(transport as never)

  return {
    ask(req, res, body, extra) {
      const { id } = body
      const isList = body.method === 'tools/list'
      if (isList && list) {
        sendJson(res, list.before + JSON.stringify(id) + list.after)
        return true
      }
      last++
      const exchange = { req, res, id, isList, signal: leaving(res), isArriving: true, isRefused: false }
      pending.set(last, exchange)
      transport.onmessage?.({ ...body, id: last } as never, extra as never)
      exchange.isArriving = false
      return !exchange.isRefused
    },
  }
}
