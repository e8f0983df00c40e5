import { PaymentRequired, ToolError, toToolError } from '../mcp/kernel/error.ts'
import type { Response } from '../mcp/kernel/http.ts'
import { type Headers, json, send } from './send.ts'

/** An object as a header value can carry it: the base64 of its JSON. */
export const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** A used-up window, unless whoever counted it said more: nothing remains until the retry makes sense. */
const usedUp = ({ code, extra }: ToolError): Headers | undefined =>
  code === 'too_many_requests' && extra.retryAfter !== undefined
    ? { RateLimit: `"default";r=0;t=${Math.max(1, Math.ceil(extra.retryAfter))}` }
    : undefined

/** What became of a payment travels with whatever the call came to. */
const paymentOf = ({ extra }: ToolError): Headers | undefined =>
  extra.payment && { 'PAYMENT-RESPONSE': base64Json(extra.payment) }

/** A quote for a reason is a problem document and an x402 quote in one body; a plain quote is the x402 one. */
const bodyOf = (error: PaymentRequired): { type: string; body: object } => {
  const { required, extra } = error
  if (extra.reason === undefined) return { type: json, body: required }
  const { params, ...problem } = error.toProblem()
  return { type: 'application/problem+json', body: { ...problem, ...params, ...required } }
}

/**
 * Answers with a failure: a problem document (RFC 9457), or, where the call must be paid for, the x402 quote as header
 * and body.
 */
export const refuse = (res: Response, thrown: unknown, ref?: string): void => {
  const error = toToolError(thrown, ref)
  if (error instanceof PaymentRequired) {
    const quote = { 'PAYMENT-REQUIRED': base64Json(error.required) }
    const { type, body } = bodyOf(error)
    send(res, error.status, type, JSON.stringify(body), {
      ...error.headers,
      ...quote,
      ...paymentOf(error),
    })
    return
  }
  const body = JSON.stringify(error.toProblem())
  send(res, error.status, 'application/problem+json', body, {
    ...usedUp(error),
    ...error.headers,
    ...paymentOf(error),
  })
}

/** The refusal of a path that nothing answers. */
export const notFound = (detail: string, hint?: string): ToolError =>
  new ToolError('not_found', detail, { hint })
