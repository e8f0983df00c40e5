import { PaymentRequired, ToolError, toToolError } from '../mcp/kernel/error.ts'
import { type Response, requestIdOf, siteOf } from '../mcp/kernel/http.ts'
import { type Headers, send } from './send.ts'

/** A used-up window, unless whoever counted it said more: nothing remains until the retry makes sense. */
const usedUp = ({ code, extra }: ToolError): Headers | undefined =>
  code === 'too_many_requests' && extra.retryAfter !== undefined
    ? { RateLimit: `"default";r=0;t=${Math.max(1, Math.ceil(extra.retryAfter))}` }
    : undefined

/** The body of a refusal: a problem, and where the call must be paid for, what the dialects ask beside it. */
export const refusalBody = (error: ToolError, site = '', requestId?: string): object => {
  const problem = error.toProblem(site, requestId)
  if (!(error instanceof PaymentRequired) || !error.parts.body) return problem
  const { params, ...rest } = problem
  return { ...rest, ...params, ...error.parts.body }
}

const challengeHeaders = (error: ToolError): Record<string, string | string[]> => {
  const { challenges = [] } = error instanceof PaymentRequired ? error.parts : {}
  return challenges.length > 0 ? { 'WWW-Authenticate': [...challenges] } : {}
}

/** The headers of a refusal: the quote, what became of a payment, when to come again. */
export const refusalHeaders = (error: ToolError): Record<string, string | string[]> => ({
  ...usedUp(error),
  ...error.headers,
  ...challengeHeaders(error),
  ...(error instanceof PaymentRequired && error.parts.headers),
  ...(error.code === 'payment_required' && { 'Cache-Control': 'no-store' }),
  ...error.extra.parts?.headers,
})

/**
 * Answers with a failure: a problem document (RFC 9457), with the quote in headers and body where the call must be paid for.
 */
export const refuse = (res: Response, cause: unknown, ref?: string): void => {
  const error = toToolError(cause, ref)
  const body = JSON.stringify(refusalBody(error, siteOf(res), requestIdOf(res)))
  send(res, error.status, 'application/problem+json', body, refusalHeaders(error))
}

/** The refusal of a path that nothing answers. */
export const notFound = (detail: string, hint?: string): ToolError =>
  new ToolError('not_found', detail, { hint })
