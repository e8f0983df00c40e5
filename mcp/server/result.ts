import type { Outcome } from '../call.ts'
import { PaymentRequired, type ToolError } from '../error.ts'
import type { Receipt } from '../tool.ts'
import type { CallResult } from './surface.ts'

/** x402 over MCP: where a payment comes in and where its receipt goes out. */
export const paymentKey = 'x402/payment'
const receiptKey = 'x402/payment-response'

const proofOf = ({ id, network, transaction, payer }: Receipt) => ({
  success: true,
  transaction,
  network,
  payer,
  receipt: id,
})

/** The result of an answered call: the output, once as structure and once as its exact JSON. */
export const answered = ({ output, receipt }: Pick<Outcome, 'output' | 'receipt'>): CallResult => ({
  content: [{ type: 'text', text: JSON.stringify(output) }],
  structuredContent: output,
  ...(receipt && { _meta: { [receiptKey]: proofOf(receipt) } }),
})

/**
 * The result of a failed call: the problem as text. Only PaymentRequired has `structuredContent`, as x402 demands it and
 * the output schemas of paid tools allow it; with anything else there a v1 client would throw.
 */
export const failed = (error: ToolError): CallResult => {
  if (!(error instanceof PaymentRequired))
    return { content: [{ type: 'text', text: JSON.stringify(error.toProblem()) }], isError: true }
  const { required } = error
  return {
    content: [{ type: 'text', text: JSON.stringify(required) }],
    structuredContent: required,
    isError: true,
  }
}
