import type { Outcome } from '../kernel/call.ts'
import { PaymentRequired, settled, type ToolError } from '../kernel/error.ts'
import type { CallResult } from './surface.ts'

/** x402 over MCP: where a payment comes in and where its receipt goes out. */
export const paymentKey = 'x402/payment'
const receiptKey = 'x402/payment-response'

/** The result of an answered call: the output, once as structure and once as its exact JSON. */
export const answered = ({ output, receipt }: Pick<Outcome, 'output' | 'receipt'>): CallResult => ({
  content: [{ type: 'text', text: JSON.stringify(output) }],
  structuredContent: output,
  ...(receipt && { _meta: { [receiptKey]: settled(receipt) } }),
})

/**
 * The result of a failed call: the problem as text. Only PaymentRequired has `structuredContent`, as x402 demands it and
 * the output schemas of paid tools allow it; with anything else there a v1 client would throw.
 */
export const failed = (error: ToolError): CallResult => {
  const { payment } = error.extra
  const about = payment && { _meta: { [receiptKey]: payment } }
  if (!(error instanceof PaymentRequired))
    return { content: [{ type: 'text', text: JSON.stringify(error.toProblem()) }], isError: true, ...about }
  const { required } = error
  return {
    content: [{ type: 'text', text: JSON.stringify(required) }],
    structuredContent: required,
    isError: true,
    ...about,
  }
}
