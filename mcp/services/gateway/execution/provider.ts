import { randomBytes } from 'node:crypto'
import { asList, asRecord, isRecord, type JsonRecord, parseJson, parseRecord } from '../../../lib/json.ts'
import {
  findRpcRequirements,
  parseQuote,
  readQuote,
  readRequirements,
  type X402Quote,
} from '../../../lib/x402-wire.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Fetch, Fetched } from '../../../ports/fetch/port.ts'
import type { FailureClass } from '../callability/history.ts'
import { readRpcAnswer } from '../probe/envelope.ts'
import { type A2aVersion, a2aVersions, findTaskQuote, isUnspoken, toA2aRequest } from '../probe/probe-a2a.ts'
import { rpc, startMcp } from '../probe/probe-mcp.ts'
import { type Sending, sendProbe } from '../probe/send.ts'
import type { SignedPayment } from './payment.ts'

/** Request to a provider, at the address that the verdict is about. */
export type ProviderRequest =
  | {
      protocol: 'http'
      method: 'GET' | 'POST' | 'PUT' | 'DELETE'
      body: string | undefined
      contentType: string | undefined
    }
  | { protocol: 'mcp'; tool: string; args: JsonRecord }
  | { protocol: 'a2a'; text: string | undefined; data: JsonRecord | undefined }

/** The work of a provider, in bytes. */
export type Output = { contentType: string; bytes: Buffer }

/** An answer of a provider: what it asks for, or what it delivers, or why it does neither. */
export type ProviderReply = {
  status: number | null
  quote?: X402Quote
  /** The offers as the provider wrote them, and what they are for. */
  required?: JsonRecord
  output?: Output
  failure: FailureClass | null
  /** The transaction that the provider says it was paid by. */
  claimed: string | null
  /** Task that a paid repetition of an A2A message goes on with. */
  resume?: { version: A2aVersion; taskId: string | undefined }
}

const limits = { maxMs: 12_000, maxBytes: 4 << 20 }
const a2aExtension = 'https://github.com/google-a2a/a2a-x402/v0.1'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const toHeaders = (payment: SignedPayment | undefined): Record<string, string> =>
  payment ? { [payment.version === 2 ? 'payment-signature' : 'x-payment']: encode(payment.payload) } : {}

const readClaim = (settlement: unknown): string | null => {
  const { success, transaction } = asRecord(settlement)
  return success === true && typeof transaction === 'string' ? transaction.slice(0, 100) : null
}

const readHeaderClaim = ({ headers }: Fetched): string | null => {
  const header = headers['payment-response'] ?? headers['x-payment-response']
  return header === undefined ? null : readClaim(parseRecord(Buffer.from(header, 'base64').toString('utf8')))
}

/** Reads cases all protocols share: no answer, a quote of HTTP, a refusal. Undefined where the body has to be read. */
const readCommon = ({ answer, failure }: Sending, now: Date): ProviderReply | undefined => {
  if (!answer) return { status: null, failure: failure ?? 'endpoint_unreachable', claimed: null }
  const base = { status: answer.status, claimed: readHeaderClaim(answer) }
  const quote = parseQuote(answer, now)
  if (quote) return { ...base, quote, required: readRequirements(answer), failure: null }
  if (failure) return { ...base, failure }
  if (answer.status === 401 || answer.status === 403) return { ...base, failure: 'permission_missing' }
  return undefined
}

const toJsonOutput = (value: unknown): Output => ({
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify(value)),
})

const toTextOutput = (text: string): Output => ({
  contentType: parseJson(text) === undefined ? 'text/plain' : 'application/json',
  bytes: Buffer.from(text),
})

type Call = { fetch: Fetch; clock: Clock; url: string; payment: SignedPayment | undefined }

const callHttp = async (
  { fetch, clock, url, payment }: Call,
  { method, body, contentType }: ProviderRequest & { protocol: 'http' },
): Promise<ProviderReply> => {
  const headers = { ...(contentType !== undefined && { 'content-type': contentType }), ...toHeaders(payment) }
  const request = { step: 'http', url, method, headers, ...limits, ...(body !== undefined && { body }) }
  const sending = await sendProbe(fetch, request, AbortSignal.timeout(limits.maxMs))
  const common = readCommon(sending, clock.now())
  if (common || !sending.answer) return common ?? { status: null, failure: 'no_result', claimed: null }
  const { answer } = sending
  const base = { status: answer.status, claimed: readHeaderClaim(answer) }
  if (answer.status >= 400) return { ...base, failure: 'invocation_failed' }
  const output = { contentType: answer.headers['content-type'] ?? '', bytes: answer.body }
  return { ...base, failure: null, output }
}

const callMcp = async (
  { fetch, clock, url, payment }: Call,
  { tool, args }: ProviderRequest & { protocol: 'mcp' },
): Promise<ProviderReply> => {
  const nonce = randomBytes(8).toString('hex')
  const post = (step: string, body: object, headers: Record<string, string> = {}) =>
    sendProbe(fetch, { step, url, body, headers, ...limits }, AbortSignal.timeout(limits.maxMs))
  const session = await startMcp(post, nonce)
  if ('refused' in session)
    return (
      readCommon(session.refused, clock.now()) ?? { status: null, failure: 'protocol_failure', claimed: null }
    )
  const _meta = payment && { 'x402/payment': payment.payload }
  const params = { name: tool, arguments: args, ...(_meta && { _meta }) }
  const headers = { ...session.headers, ...toHeaders(payment) }
  const sending = await post('mcp tools/call', rpc(`${nonce}-call`, 'tools/call', params), headers)
  const common = readCommon(sending, clock.now())
  if (common || !sending.answer) return common ?? { status: null, failure: 'no_result', claimed: null }
  const { status } = sending.answer
  const envelope = readRpcAnswer(sending.answer, `${nonce}-call`)
  if (!envelope) return { status, failure: 'protocol_failure', claimed: null }
  const result = asRecord('result' in envelope ? envelope.result : undefined)
  const texts = asList(result.content).flatMap(part => {
    const { type, text } = asRecord(part)
    return type === 'text' && typeof text === 'string' ? [text] : []
  })
  const claimed = readClaim(asRecord(result._meta)['x402/payment-response'])
  const required = findRpcRequirements(envelope)
  if (required) return { status, quote: readQuote(required, clock.now()), required, failure: null, claimed }
  if ('error' in envelope || result.isError === true) return { status, failure: 'invocation_failed', claimed }
  const isPlain = texts.length === 1 && asList(result.content).length === 1
  const output = isRecord(result.structuredContent)
    ? toJsonOutput(result.structuredContent)
    : isPlain
      ? toTextOutput(texts[0] ?? '')
      : toJsonOutput(result.content ?? [])
  return { status, failure: null, output, claimed }
}

/** The parts that an agent answers with: those of the artifacts of its task, else of its message. */
const readParts = (result: Readonly<JsonRecord>, task: Readonly<JsonRecord>): readonly unknown[] => {
  const artifacts = asList(task.artifacts).flatMap(artifact => asList(asRecord(artifact).parts))
  if (artifacts.length > 0) return artifacts
  return asList(asRecord(result.message ?? asRecord(task.status).message ?? result).parts)
}

const toPartsOutput = (parts: readonly unknown[]): Output => {
  const [only] = parts.map(asRecord)
  if (only && parts.length === 1 && typeof only.text === 'string') return toTextOutput(only.text)
  return toJsonOutput(only && parts.length === 1 && only.data !== undefined ? only.data : parts)
}

const callA2a = async (
  { fetch, clock, url, payment }: Call,
  { text, data }: ProviderRequest & { protocol: 'a2a' },
  resume: ProviderReply['resume'],
): Promise<ProviderReply> => {
  const paid = payment && {
    'x402.payment.status': 'payment-submitted',
    'x402.payment.payload': payment.payload,
  }
  const content = {
    ...(text !== undefined && { text }),
    ...(data && { data }),
    ...(resume?.taskId !== undefined && { taskId: resume.taskId }),
    ...(paid && { metadata: paid }),
  }
  for (const version of resume ? [resume.version] : a2aVersions) {
    const id = randomBytes(8).toString('hex')
    const { headers, body } = toA2aRequest(version, id, content)
    const extensions = { 'a2a-extensions': a2aExtension, 'x-a2a-extensions': a2aExtension }
    const request = {
      step: `a2a ${version}`,
      url,
      body,
      headers: { ...headers, ...extensions, ...toHeaders(payment) },
    }
    const sending = await sendProbe(fetch, { ...request, ...limits }, AbortSignal.timeout(limits.maxMs))
    const common = readCommon(sending, clock.now())
    if (common?.quote) return { ...common, resume: { version, taskId: undefined } }
    if (common || !sending.answer) return common ?? { status: null, failure: 'no_result', claimed: null }
    const { status } = sending.answer
    const envelope = readRpcAnswer(sending.answer, id)
    // A payment is sent once: only what is unpaid is repeated in the older version.
    if (envelope && 'error' in envelope && isUnspoken(envelope.error.code) && !resume && version !== '0.3')
      continue
    if (!envelope) return { status, failure: 'protocol_failure', claimed: null }
    if ('error' in envelope) return { status, failure: 'invocation_failed', claimed: null }
    const result = asRecord(envelope.result)
    const task = asRecord(result.task ?? (isRecord(result.status) ? result : undefined))
    const message = asRecord(asRecord(task.status).message ?? result.message)
    const metadata = asRecord(message.metadata)
    const claimed =
      asList(metadata['x402.payment.receipts'])
        .map(readClaim)
        .find(one => one !== null) ?? null
    const state = String(asRecord(task.status).state ?? '').toLowerCase()
    const required = metadata['x402.payment.required']
    const quote = findTaskQuote(result, clock.now())
    if (quote && isRecord(required)) {
      const taskId = typeof task.id === 'string' ? task.id : undefined
      return { status, quote, required, failure: null, claimed, resume: { version, taskId } }
    }
    if (/failed|rejected|canceled|input.required|auth.required/.test(state))
      return { status, failure: 'invocation_failed', claimed }
    if (/submitted|working/.test(state)) return { status, failure: 'async_result_not_supported_v1', claimed }
    return { status, failure: null, output: toPartsOutput(readParts(result, task)), claimed }
  }
  return { status: null, failure: 'incompatible', claimed: null }
}

/**
 * Calls a provider once, within 12 s a request and 4 MiB of answer, without following redirects. A payment rides in one request
 * alone, and that is never repeated.
 */
export const callProvider = (
  call: Call,
  request: ProviderRequest,
  resume?: ProviderReply['resume'],
): Promise<ProviderReply> => {
  if (request.protocol === 'http') return callHttp(call, request)
  return request.protocol === 'mcp' ? callMcp(call, request) : callA2a(call, request, resume)
}
