import { ToolError, toToolError } from '../../../kernel/error.ts'
import { asRecord } from '../../../lib/json.ts'
import { isTargetLimit } from '../../../lib/target-limit.ts'
import { cut } from '../../../lib/text/cut.ts'
import type { Fetch, Fetched, FetchOptions } from '../../../ports/fetch/port.ts'
import type { FailureClass } from '../callability/history.ts'
import { computeDigest } from '../source/fetch-registry.ts'

/** One request of a probe as it is told: no body of the answer, only its digest. */
export type ProbeAttempt = {
  step: string
  url: string
  status: number | null
  ms: number
  outcome: string
  digest: string | null
}

/** An answer of a probe, or the class of its failure. */
export type Sending = { attempt: ProbeAttempt; answer: Fetched | null; failure: FailureClass | null }

const limits = { maxBytes: 128 * 1024, maxRedirects: 0, fresh: true }
const maxMs = 5000

type Request = {
  step: string
  url: string
  /** Default: POST with a body, GET without. */
  method?: NonNullable<FetchOptions['method']>
  /** An object is sent as JSON; a text as it is. */
  body?: object | string
  headers?: Record<string, string>
  /** Default: 5 s and 128 KiB. */
  maxMs?: number
  maxBytes?: number
}

/** Codes of connections that broke after they were there: what was sent may have arrived. */
const brokeOff = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/

/** Why nothing came, in the words of the interface. */
const toFailureClass = (error: unknown): FailureClass => {
  const { code, extra } = toToolError(error)
  if (code === 'invalid_input' || extra.reason === 'unsafe_redirect') return 'unsafe_destination'
  if (code === 'timeout' || brokeOff.test(String(asRecord(extra.cause).code))) return 'unknown_delivery_state'
  return extra.retryAfter === undefined ? 'endpoint_unreachable' : 'rate_limited'
}

const classifyStatus = ({ status, truncated }: Fetched): FailureClass | null => {
  if (truncated) return 'response_too_large'
  if (status >= 300 && status < 400) return 'incompatible'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unavailable' : null
}

/** Sends one bounded request, no redirect followed. Throws only what keeps it from asking: the limit of the target. */
export const sendProbe = async (
  fetch: Fetch,
  { step, url, method, body, headers = {}, ...bounds }: Request,
  signal: AbortSignal,
): Promise<Sending> => {
  const began = performance.now()
  const toAttempt = (more: Partial<ProbeAttempt>): ProbeAttempt => ({
    step,
    url,
    status: null,
    ms: Math.round(performance.now() - began),
    outcome: 'no answer',
    digest: null,
    ...more,
  })
  try {
    const answer = await fetch(url, {
      ...limits,
      ...(bounds.maxBytes !== undefined && { maxBytes: bounds.maxBytes }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(bounds.maxMs ?? maxMs)]),
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    })
    const failure = classifyStatus(answer)
    const digest = computeDigest(answer.body)
    return {
      answer,
      failure,
      attempt: toAttempt({ status: answer.status, digest, outcome: failure ?? 'answered' }),
    }
  } catch (error) {
    if (isTargetLimit(error)) throw error
    const failure = toFailureClass(error)
    const outcome = error instanceof ToolError ? error.message : failure
    return { answer: null, failure, attempt: toAttempt({ outcome: cut(outcome, 200) }) }
  }
}
