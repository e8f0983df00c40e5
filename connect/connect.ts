import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { asRecord } from '../mcp/lib/json.ts'
import { clean } from '../mcp/lib/text/clean.ts'
import { formatUsd } from '../mcp/lib/usd.ts'
import { readLines } from './lines.ts'
import { openListedTools } from './listed-tools.ts'
import {
  claimedVersion,
  failure,
  formatLine,
  isRequest,
  isResponse,
  type Line,
  metaOf,
  paramsOf,
  parseMessages,
  protocolError,
  type RequestId,
  type RpcRequest,
} from './message.ts'
import {
  paymentKey,
  type RetryPauses,
  sendPaid,
  toFailedResult,
  toFailure,
  usualPauses,
} from './paid-call.ts'
import type { Payer, Refusal } from './payer.ts'
import { findPrice } from './price.ts'
import { looksLikeOurs, openQuestions } from './question.ts'
import type { Remote } from './remote.ts'

export type ConnectOptions = {
  remote: Remote
  payer: Payer
  /** JSON-RPC messages of the client, one a line. */
  input: Readable
  /** Carries JSON-RPC messages and nothing else. */
  output: Writable
  /** Told what happens, for people. */
  report(line: string): void
  pauses?: RetryPauses
  /** How long a question to the person at the client stays open. */
  questionMs?: number
  maxLineBytes?: number
  /** How long what runs may go on when the client has closed its end. */
  graceMs?: number
}

/** The tool that a call means: behind the bundle, the one that call_tool or read_tool calls. */
const innerName = (name: unknown, values: unknown): string => {
  const { name: inner } = asRecord(values)
  const isCaller = name === 'call_tool' || name === 'read_tool'
  return isCaller && typeof inner === 'string' ? inner : String(name)
}

/** A request that has no answer yet. */
type Running = {
  /** Of the stateless era, where closing the exchange is how a call is cancelled. */
  isModern: boolean
  abort: AbortController
  /** A payment for it went out: it is followed to its end, whoever still listens. */
  isSigned: boolean
  isCancelled: boolean
}

/** Waits for what runs, and for `ms` at most. */
const settleWithin = async (work: ReadonlySet<Promise<unknown>>, ms: number): Promise<void> => {
  const late = new AbortController()
  await Promise.race([
    Promise.allSettled(work),
    pause(ms, undefined, { signal: late.signal }).catch(() => undefined),
  ])
  late.abort()
}

const notAMessage = 'This line is no JSON-RPC message; send one as JSON on a line of its own.'

/** Which call a question is about. */
const callOf = ({ params }: RpcRequest): string => JSON.stringify([params?.name, params?.arguments ?? {}])

/**
 * Forwards every message between a client on standard input and output and a server over HTTP, in whichever era they speak, and pays
 * the calls of tools that ask for money. Resolves when the client has gone and every payment that went out has its answer.
 */
export const connect = async ({
  remote,
  payer,
  input,
  output,
  report,
  pauses = usualPauses,
  questionMs,
  maxLineBytes = 33_554_432,
  graceMs = 2000,
}: ConnectOptions): Promise<void> => {
  const running = new Map<RequestId, Running>()
  const tools = openListedTools()
  const questions = openQuestions(questionMs)
  const ending = new AbortController()
  const work = new Set<Promise<unknown>>()
  let isGone = false
  let listening: AbortController | undefined

  /** Resolves when the client has room for more. */
  const out = async (line: Line): Promise<void> => {
    if (isGone) return
    if (output.write(`${formatLine(line)}\n`)) return
    await new Promise<void>(resolve => {
      const go = () => {
        for (const event of ['drain', 'close', 'error']) output.off(event, go)
        resolve()
      }
      for (const event of ['drain', 'close', 'error']) output.once(event, go)
    })
  }

  /** Hands on what the server says beside an answer: news, and questions of its own. */
  const news = async (line: Line): Promise<void> => {
    if (typeof line.message.method === 'string' && !looksLikeOurs(line.message)) await out(line)
  }

  /** Posts a request; resolves to its response, while the rest of the answer is handed on. */
  const ask = async (line: Line, state: Running): Promise<Line> => {
    let answer: Line | undefined
    const request = line.message as RpcRequest
    await remote.post(line, {
      // Who has paid reads on, whoever hangs up.
      signal: state.isSigned ? undefined : state.abort.signal,
      headers: headersFor(request),
      async onMessage(one) {
        if (isResponse(one.message)) {
          if (one.message.id === request.id) answer ??= one
        } else if (!state.isCancelled) await news(one)
      },
    })
    return answer ?? failure(request.id, 502, 'The server sent no answer.')
  }

  const headersFor = (request: RpcRequest): Record<string, string> | undefined => {
    if (request.method !== 'tools/call' || claimedVersion(request) === undefined) return undefined
    const { name, arguments: values } = paramsOf(request)
    return typeof name === 'string' ? tools.headers(name, values) : undefined
  }

  const observe = (request: RpcRequest, { message }: Line): void => {
    if (request.method === 'initialize') remote.negotiated(asRecord(message.result).protocolVersion)
    if (request.method === 'tools/list') tools.read(message)
  }

  const refuse = (request: RpcRequest, { refused, advice }: Refusal, offer: Line): Line => {
    report(advice === undefined ? refused : `${refused}\n${advice}`)
    const ask = advice === undefined ? '' : ' Only the person who runs connect can allow it; ask them.'
    return toFailedResult(request, [`${refused}${ask}`], offer.message)
  }

  /** A call of a tool: forwarded, and where the answer is a price, paid within the limits and sent once more. */
  const callTool = async (line: Line, state: Running): Promise<Line | undefined> => {
    const continued = questions.readAnswer(line.message as RpcRequest, callOf)
    const request = continued?.request ?? (line.message as RpcRequest)
    let consented = continued?.consented ?? 0n
    const offer = await ask(continued ? { message: request } : line, state)
    const price = findPrice(offer.message)
    // A client that pays by itself is left alone.
    if (!price || paymentKey in metaOf(request)) return offer
    const { name, arguments: values } = paramsOf(request)
    const tool = innerName(name, values)
    for (;;) {
      if (state.isCancelled || state.abort.signal.aborted) return undefined
      const listed = tools.price(String(name))
      const prepared = await payer.prepare({ tool, input: values, price, listed, consented })
      if ('claim' in prepared) {
        state.isSigned = true
        const send = (paid: Line) => ask(paid, state)
        report(`${clean(tool, 128)}: sending ${prepared.words}`)
        return await sendPaid({ request, payment: prepared, payer, pauses, send })
      }
      const { askable } = prepared
      if (askable === undefined || consented > 0n || continued || !questions.canAsk(request))
        return refuse(request, prepared, offer)
      const words = `${prepared.refused} Pay ${formatUsd(askable)} USD for this one call?`
      if (claimedVersion(request) !== undefined)
        return questions.toResult(request, { call: callOf(request), micros: askable, words })
      const question = { call: callOf(request), micros: askable, words }
      if (!(await questions.ask(question, out, state.abort.signal))) return refuse(request, prepared, offer)
      consented = askable
    }
  }

  const handleRequest = async (line: Line & { message: RpcRequest }): Promise<void> => {
    const request = line.message
    if (running.has(request.id))
      return out(protocolError(request.id, -32600, 'This id belongs to a request that is not answered yet.'))
    const state: Running = {
      isModern: claimedVersion(request) !== undefined,
      abort: new AbortController(),
      isSigned: false,
      isCancelled: false,
    }
    running.set(request.id, state)
    try {
      if (request.method === 'initialize') questions.initialized(request)
      const answer = request.method === 'tools/call' ? await callTool(line, state) : await ask(line, state)
      if (!answer || state.isCancelled) return
      observe(request, answer)
      await out(answer)
    } catch (error) {
      if (state.isCancelled || state.abort.signal.aborted) return
      const line = toFailure(request, error)
      report(String(asRecord(line.message.error).message))
      await out(line)
    } finally {
      running.delete(request.id)
    }
  }

  const cancel = async (line: Line): Promise<void> => {
    const state = running.get(paramsOf(line.message).requestId as RequestId)
    if (!state) return forward(line)
    state.isCancelled = true
    // What was paid for is wanted: nobody tells the server to stop.
    if (state.isSigned) return
    if (!state.isModern) await forward(line)
    state.abort.abort()
  }

  const forward = async (line: Line): Promise<void> => {
    try {
      await remote.post(line, { signal: ending.signal, onMessage: news })
    } catch (error) {
      if (!ending.signal.aborted) report(error instanceof Error ? error.message : 'A message was not taken.')
    }
  }

  const handle = async (line: Line): Promise<void> => {
    const { message } = line
    if (isRequest(message)) return handleRequest({ ...line, message })
    if (isResponse(message)) return questions.take(message) ? undefined : forward(line)
    if (typeof message.method !== 'string' || 'id' in message)
      return out(protocolError(null, -32600, 'This is no JSON-RPC request, notification or answer.'))
    if (message.method === 'notifications/cancelled') return cancel(line)
    await forward(line)
    if (message.method === 'notifications/initialized') listen()
  }

  const listen = (): void => {
    listening?.abort()
    listening = new AbortController()
    const { signal } = listening
    remote.listen(news, signal).catch(error => {
      if (!signal.aborted && error instanceof Error) report(error.message)
    })
  }

  const begin = (promise: Promise<void>): void => {
    work.add(promise)
    promise.catch(() => undefined).finally(() => work.delete(promise))
  }

  output.on('error', () => {
    isGone = true
    input.destroy()
  })

  try {
    for await (const text of readLines(input, maxLineBytes)) {
      if (text?.trim() === '') continue
      const lines = text === undefined ? undefined : parseMessages(text)
      if (!lines) await out(protocolError(null, -32700, notAMessage))
      for (const line of lines ?? []) {
        const handled = handle(line)
        begin(handled)
        // A session is not ready for anything else before the server has this.
        if (line.message.method === 'notifications/initialized') await handled
      }
    }
    await settleWithin(work, graceMs)
  } catch {
    // The client's end broke, or the program is asked to end: nobody waits for what runs.
  }
  ending.abort()
  listening?.abort()
  // What was paid for reads on.
  for (const { abort } of running.values()) abort.abort()
  while (work.size > 0) await Promise.allSettled(work)
  await remote.close()
}
