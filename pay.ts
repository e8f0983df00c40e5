import { setTimeout as pause } from 'node:timers/promises'
import { type x402Client, x402HTTPClient } from '@x402/core/client'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { isPending, problemIn } from './connect/paid-call.ts'
import { findPrice, readSettlement } from './connect/price.ts'
import { asRecord, type JsonRecord, parseRecord } from './mcp/lib/json.ts'

export type PayOptions = {
  /** The stock x402 client, with its schemes, wallets and spend controls. */
  client: x402Client
  /** Milliseconds that a paid call is waited for altogether. Default: ten minutes. */
  waitMs?: number
}

/** The money went back to the address that paid; `refund` is what the server says of it. */
export class PaymentRefunded extends Error {
  override readonly name = 'PaymentRefunded'
  readonly refund: Readonly<JsonRecord>

  constructor(detail: string, refund: Readonly<JsonRecord>) {
    super(`${detail} The money went back to the payer.`)
    this.refund = refund
  }
}

/** A payment went out, and no answer came in time. `resume` goes on with the same payment: nothing is signed again. */
export class PaymentUnanswered<Answer> extends Error {
  override readonly name = 'PaymentUnanswered'
  readonly payload: PaymentPayload
  readonly resume: () => Promise<Answer>

  constructor(payload: PaymentPayload, resume: () => Promise<Answer>, cause: unknown) {
    super(
      'The payment was sent, and its answer has not come yet. The money may have moved: resume, and sign nothing anew.',
      {
        cause,
      },
    )
    this.payload = payload
    this.resume = resume
  }
}

/** What one try with a payment came to. `again`: the same payment is due once more, after so many milliseconds. */
type Outcome<Answer> =
  | { state: 'answered'; answer: Answer }
  | { state: 'again'; afterMs?: number | undefined }
  | { state: 'failed'; answer: Answer; afterMs?: number | undefined }

/** Pauses after tries that broke, or whose work failed although it is paid: then the same payment runs it for free. */
const pausesMs = [250, 1_000, 4_000, 15_000]
const pendingMs = 2_000
/** A server that says "at once" is not asked without a pause. */
const minPauseMs = 100

/** Tries with one payment until there is an answer. A try that rejects has told nothing: the same payment is sent again. */
const follow = async <Answer>(
  payload: PaymentPayload,
  attempt: () => Promise<Outcome<Answer>>,
  waitMs: number,
): Promise<Answer> => {
  const end = performance.now() + waitMs
  let failure: unknown
  for (let tries = 0; ; ) {
    const outcome = await attempt().catch((error: unknown) => {
      if (error instanceof PaymentRefunded) throw error
      failure = error
      return { state: 'again', afterMs: undefined } as const
    })
    if (outcome.state === 'answered') return outcome.answer
    if (outcome.state === 'failed' && tries >= pausesMs.length) return outcome.answer
    const wanted = outcome.afterMs ?? pausesMs[Math.min(tries, pausesMs.length - 1)] ?? pendingMs
    const pauseMs = Math.max(minPauseMs, wanted)
    if (outcome.afterMs === undefined || outcome.state === 'failed') tries++
    if (performance.now() + pauseMs > end)
      throw new PaymentUnanswered(payload, () => follow(payload, attempt, waitMs), failure)
    await pause(pauseMs)
  }
}

const retryMs = (value: string | null): number | undefined =>
  value !== null && /^\d{1,5}$/.test(value) ? Number(value) * 1_000 : undefined

const isProblem = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').includes('problem+json')

const readProblem = async (response: Response): Promise<JsonRecord> =>
  isProblem(response) ? (parseRecord(await response.clone().text()) ?? {}) : {}

const refundPath = /^\/receipts\/[\w-]{1,64}\/refund$/

/** Has owed money sent back to the address that paid it. */
const takeRefund = async (
  send: typeof fetch,
  url: string,
  headers: Record<string, string>,
  detail: string,
): Promise<never> => {
  const body = JSON.stringify({ to: 'payer' })
  const response = await send(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
  const answer = parseRecord(await response.text()) ?? {}
  if (response.ok) throw new PaymentRefunded(detail, answer)
  throw new Error(
    `The money is owed to the payer and did not go back yet: ${String(answer.detail ?? response.status)}`,
  )
}

/**
 * `fetch` that pays what it is asked to, once for each call: the same payment is sent again after a broken connection and while it is
 * confirmed, the answer to a 202 is collected at its `Location`, work that failed after it was paid runs again for free, and money that
 * does not pay the call is taken back. Rejects with PaymentRefunded and PaymentUnanswered; a payment that is refused is the 402 itself.
 */
export const payingFetch = (
  { client, waitMs = 600_000 }: PayOptions,
  send: typeof fetch = fetch,
): typeof fetch => {
  const http = new x402HTTPClient(client)
  return async (input, init) => {
    const { url, method, headers, signal, body: stream, ...request } = new Request(input, init)
    const body = stream ? await new Response(stream).arrayBuffer() : undefined
    const post = (more: Record<string, string> = {}) =>
      send(url, {
        method,
        signal,
        redirect: request.redirect,
        headers: { ...Object.fromEntries(headers), ...more },
        ...(body && { body }),
      })
    const unpaid = await post()
    if (unpaid.status !== 402) return unpaid
    const quote = http.getPaymentRequiredResponse(
      name => unpaid.headers.get(name),
      parseRecord(await unpaid.clone().text()),
    )
    const payload = await client.createPaymentPayload(quote)
    const payment = http.encodePaymentSignatureHeader(payload)
    let location: string | undefined

    const attempt = async (): Promise<Outcome<Response>> => {
      signal.throwIfAborted()
      // What was sent is followed to its end: the caller's signal ends the waiting between tries only.
      const response = await (location === undefined
        ? post(payment)
        : send(location, { headers: { ...Object.fromEntries(headers) } }))
      const problem = await readProblem(response)
      const after = retryMs(response.headers.get('retry-after'))
      if (response.status === 202 && problem.code === 'payment_pending') {
        const next = response.headers.get('location')
        const address = next === null ? undefined : new URL(next, url)
        // Nobody sends us elsewhere with what the caller's headers say.
        location = address?.origin === new URL(url).origin ? address.href : undefined
        return { state: 'again', afterMs: after ?? pendingMs }
      }
      // What is kept no more there is answered to the payment itself.
      if (location !== undefined && (response.status === 404 || response.status === 410)) {
        location = undefined
        return { state: 'again', afterMs: 0 }
      }
      if (problem.reason === 'payment_owed') {
        const { refund } = asRecord(problem.params)
        if (typeof refund === 'string' && refundPath.test(refund))
          return takeRefund(send, new URL(refund, url).href, payment, String(problem.detail))
      }
      if (response.status === 409 && after !== undefined) return { state: 'again', afterMs: after }
      const isFault = response.status === 429 || response.status >= 500
      return isFault
        ? { state: 'failed', answer: response, afterMs: after }
        : { state: 'answered', answer: response }
    }
    return follow(payload, attempt, waitMs)
  }
}

type CallResult = { isError?: boolean; structuredContent?: unknown; content?: unknown; _meta?: unknown }

/** What is used of an MCP client, of either SDK. */
type ToolClient<Result> = {
  callTool(params: {
    name: string
    arguments?: Record<string, unknown>
    _meta?: Record<string, unknown>
  }): Promise<Result>
}

/** The same for the tools of an MCP client: `callTool` of what is returned pays. Owed money is named by the failure that is returned. */
export const payingTools = <Result>(
  tools: ToolClient<Result>,
  { client, waitMs = 600_000 }: PayOptions,
): ToolClient<Result> => ({
  async callTool(params) {
    const unpaid = await tools.callTool(params)
    const price = findPrice({ result: unpaid } as never)
    if (!price) return unpaid
    const { structuredContent } = unpaid as CallResult
    const payload = await client.createPaymentPayload((structuredContent ?? price) as PaymentRequired)
    const _meta = { ...params._meta, 'x402/payment': payload }
    const attempt = async (): Promise<Outcome<Result>> => {
      const answer = await tools.callTool({ ...params, _meta })
      const message = { result: answer } as never
      if (isPending(message)) return { state: 'again', afterMs: pendingMs }
      const { status, charged } = problemIn(message) ?? {}
      const isFault = typeof status === 'number' && (status === 429 || status >= 500)
      const isOwed = charged === true || readSettlement(message)?.success === true
      return isFault && isOwed ? { state: 'failed', answer } : { state: 'answered', answer }
    }
    return follow(payload, attempt, waitMs)
  },
})
