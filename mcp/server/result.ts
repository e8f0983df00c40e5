import type { Outcome } from '../kernel/call.ts'
import { PaymentRequired, type ToolError } from '../kernel/error.ts'
import type { CallResult } from './surface.ts'

/** The result of an answered call: the output, once as structure and once as its exact JSON. */
export const answered = ({ output, parts }: Pick<Outcome, 'output' | 'parts'>): CallResult => ({
  content: [{ type: 'text', text: JSON.stringify(output) }],
  structuredContent: output,
  ...(parts?.meta && { _meta: { ...parts.meta } }),
})

/**
 * The result of a failed call: the problem as text. Only PaymentRequired has `structuredContent`, as x402 demands it and
 * the output schemas of paid tools allow it; with anything else there a v1 client would throw.
 */
export const failed = (error: ToolError, site: string): CallResult => {
  const asked = error instanceof PaymentRequired ? error.parts : {}
  const { structured } = asked
  const meta = { ...asked.meta, ...error.extra.parts?.meta }
  const about = Object.keys(meta).length > 0 && { _meta: meta }
  if (!structured)
    return {
      content: [{ type: 'text', text: JSON.stringify(error.toProblem(site)) }],
      isError: true,
      ...about,
    }
  return {
    content: [{ type: 'text', text: JSON.stringify(structured) }],
    structuredContent: { ...structured },
    isError: true,
    ...about,
  }
}
