import { asRecord } from '../../../lib/json.ts'
import { parseQuote, readQuote, type X402Quote } from '../../../lib/x402-wire.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Callability, FailureClass, ToolList } from '../callability/history.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { readRpcAnswer } from './envelope.ts'
import { type ProbeAttempt, type Sending, sendProbe } from './send.ts'

/** Result of one protocol of a candidate. */
export type ProbeResult = {
  status: Callability
  failure: FailureClass | null
  attempts: ProbeAttempt[]
  /** True when it did what it was asked for, without payment. */
  served?: boolean
  /** The quote that it answered with. */
  quote?: X402Quote | null
  tools?: ToolList
  detail: Record<string, unknown>
}

/** Answer to an unpaid request, as details of a probe. */
export const toQuoteDetail = (quote: X402Quote) => ({
  version: quote.version,
  offers: quote.offers.length,
  pay_to: quote.offers[0]?.payTo ?? null,
  network: quote.offers[0]?.network ?? null,
  ...(quote.problem !== null && { problem: quote.problem }),
})

/** The versions of A2A that are spoken, the newest first. */
export const a2aVersions = ['1.0', '0.3'] as const

export type A2aVersion = (typeof a2aVersions)[number]

/** A 402 of any protocol: callable with payment, with the quote where it holds one that can be read. */
export const toPaymentResult = (answer: Parameters<typeof parseQuote>[0], now: Date) => {
  const quote = parseQuote(answer, now) ?? null
  const isReadable = quote !== null && quote.problem === null
  return {
    status: 'callable_with_payment' as const,
    failure: null,
    ...(isReadable && { quote }),
    payment: quote && toQuoteDetail(quote),
  }
}

/** The quote of the x402 extension of A2A, which rides in the metadata of a task's message. */
export const findTaskQuote = (result: unknown, now: Date): X402Quote | undefined => {
  const { task, status } = asRecord(result)
  const message = asRecord(asRecord(asRecord(task).status ?? status).message)
  const required = asRecord(message.metadata)['x402.payment.required']
  return required === undefined ? undefined : readQuote(required, now)
}

const text = (nonce: string) => `ping ${nonce}`

/** Id of the request, which every answer repeats; it must not be mistaken for an echo of the nonce. */
const requestId = (version: string, nonce: string) => `${version}-${computeDigest(nonce).slice(7, 23)}`

/** Parts of a message that are the same in both versions but for their names. */
type MessageContent = { text?: string; data?: object; taskId?: string; metadata?: object }

/** A message to an agent, with the headers that its version asks for. */
export const toA2aRequest = (version: A2aVersion, id: string, { text, data, ...more }: MessageContent) => {
  const isNew = version === '1.0'
  const toPart = (part: object, kind: string) => (isNew ? part : { kind, ...part })
  const parts = [
    ...(text === undefined ? [] : [toPart({ text }, 'text')]),
    ...(data === undefined ? [] : [toPart({ data }, 'data')]),
  ]
  const message = {
    ...(!isNew && { kind: 'message' }),
    messageId: id,
    role: isNew ? 'ROLE_USER' : 'user',
    parts,
    ...more,
  }
  const headers: Record<string, string> = isNew ? { 'a2a-version': '1.0' } : {}
  const method = isNew ? 'SendMessage' : 'message/send'
  return { headers, body: { jsonrpc: '2.0', id, method, params: { message } } }
}

const isMessage = (value: unknown): boolean => Array.isArray(asRecord(value).parts)

const isTask = (value: unknown): boolean => {
  const { id, status } = asRecord(value)
  return typeof id === 'string' && typeof asRecord(status).state === 'string'
}

/** A Message or a Task in the shape of either version. */
const isAnswer = (result: unknown): boolean => {
  const { message, task } = asRecord(result)
  return isMessage(message) || isTask(task) || isMessage(result) || isTask(result)
}

/** True when the answer itself holds the nonce; the history of a task repeats what was sent to it. */
const isEchoed = (result: unknown, nonce: string): boolean =>
  JSON.stringify(result, (name, value) => (name === 'history' ? undefined : value)).includes(nonce)

/** Errors that say: not this method, not this version. Another version may still be spoken. */
export const isUnspoken = (code: unknown): boolean => code === -32601 || code === -32009 || code === -32600

const judgeAnswer = (
  { answer, failure, attempt }: Sending,
  version: A2aVersion,
  nonce: string,
  now: Date,
): ProbeResult & { next: boolean } => {
  const base = { attempts: [attempt], detail: { version } }
  if (!answer) {
    const status = failure === 'unknown_delivery_state' ? 'ambiguous' : 'not_callable'
    return { ...base, status, failure, next: false }
  }
  if (answer.status === 402) {
    const { payment, ...result } = toPaymentResult(answer, now)
    return { ...base, ...result, detail: { version, ...(payment && { payment }) }, next: false }
  }
  if (answer.status === 401 || answer.status === 403)
    return { ...base, status: 'callable_with_auth', failure: null, next: false }
  if (failure) return { ...base, status: 'not_callable', failure, next: false }
  const envelope = readRpcAnswer(answer, requestId(version, nonce))
  if (!envelope) return { ...base, status: 'not_callable', failure: 'protocol_failure', next: true }
  if ('error' in envelope) {
    const { code } = envelope.error
    const detail = { version, answer: false, error_code: code }
    return { ...base, detail, status: 'callable', failure: null, next: isUnspoken(code) }
  }
  if (!isAnswer(envelope.result))
    return { ...base, status: 'not_callable', failure: 'verification_failed', next: false }
  const quote = findTaskQuote(envelope.result, now)
  if (quote)
    return {
      ...base,
      detail: { version, payment: toQuoteDetail(quote) },
      status: 'callable_with_payment',
      failure: null,
      ...(quote.problem === null && { quote }),
      next: false,
    }
  const nonce_echoed = isEchoed(envelope.result, nonce)
  return {
    ...base,
    detail: { version, answer: true, nonce_echoed },
    served: true,
    status: 'callable',
    failure: null,
    next: false,
  }
}

/**
 * Sends one message with a nonce, in A2A 1.0 and, where that is not spoken, 0.3. A message, a task or a well-formed JSON-RPC
 * error makes it callable; an echoed nonce is the stronger evidence.
 */
export const probeA2a = async (
  fetch: Fetch,
  clock: Clock,
  url: string,
  nonce: string,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const attempts: ProbeAttempt[] = []
  let last: ProbeResult | undefined
  for (const version of a2aVersions) {
    const request = toA2aRequest(version, requestId(version, nonce), { text: text(nonce) })
    const sending = await sendProbe(fetch, { step: `a2a ${version}`, url, ...request }, signal)
    const { next, ...result } = judgeAnswer(sending, version, nonce, clock.now())
    attempts.push(...result.attempts)
    const isBetter = !last || last.status === 'not_callable' || result.detail.answer === true
    if (isBetter) last = result
    if (!next) break
  }
  return { ...(last as ProbeResult), attempts }
}
