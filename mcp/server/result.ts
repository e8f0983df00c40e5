import type { Outcome } from '../kernel/call.ts'
import { PaymentRequired, type ToolError } from '../kernel/error.ts'
import type { CallResult, TextContent } from './surface.ts'

/** The result of an answered call: the output, once as structure and once as its exact JSON. */
export const toCallResult = ({ output, parts }: Pick<Outcome, 'output' | 'parts'>): CallResult => ({
  content: [{ type: 'text', text: JSON.stringify(output) }],
  structuredContent: output,
  ...(parts?.meta && { _meta: { ...parts.meta } }),
})

const text = (text: string): TextContent => ({ type: 'text', text })

/**
 * The result of a failed call: the problem as text. Only PaymentRequired has `structuredContent`, as x402 demands it and
 * the output schemas of paid tools allow it; with anything else there a v1 client would throw. It is x402's alone: the other ways to
 * pay are in `_meta`, the problem too, and the words are a text of their own.
 */
export const toErrorResult = (error: ToolError, site: string, requestId?: string): CallResult => {
  const payment = error instanceof PaymentRequired ? error.parts : {}
  const { structured, result } = payment
  const { challenge, parts } = error.extra
  const meta = {
    ...payment.meta,
    ...parts?.meta,
    ...(challenge !== undefined && { 'mcp/www_authenticate': [challenge] }),
  }
  const problem = error.toProblem(site, requestId)
  const about = Object.keys(meta).length > 0 && { _meta: meta }
  if (!structured) return { content: [text(JSON.stringify(problem))], isError: true, ...about }
  return {
    content: [text(JSON.stringify(structured)), text(error.message)],
    structuredContent: { ...structured },
    isError: true,
    _meta: { ...meta, 'octagent/problem': problem },
    ...result,
  }
}
