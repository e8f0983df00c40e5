import type { ToolError } from '../../mcp/kernel/error.ts'
import type { Evidence, PaymentEvidence } from '../../mcp/kernel/http.ts'
import { isRecord } from '../../mcp/lib/json.ts'
import { invalidParam } from '../wire/failure.ts'
import type { Fields } from '../wire/fields.ts'
import type { Message } from '../wire/message.ts'

/** The x402 extension of A2A: the version now and the one that older clients ask for. Both mean the same flow here. */
export const x402Extensions = [
  'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2',
  'https://github.com/google-a2a/a2a-x402/v0.1',
] as const

const maxBytes = 65_536

/** What a message says about payment: what may pay, or that the client will not. Throws -32602 for a bad payload. */
export const paymentIn = (
  { metadata = {} }: Message,
  { payment }: Evidence,
): { payment: PaymentEvidence; pays: boolean; rejected: boolean } => {
  const { headers } = payment
  const payload = metadata['x402.payment.payload'] ?? undefined
  const rejected = metadata['x402.payment.status'] === 'payment-rejected'
  const path = 'message.metadata.x402.payment.payload'
  if (payload !== undefined && !isRecord(payload))
    throw invalidParam(path, 'must be an x402 payment payload, which is an object')
  if (payload !== undefined && JSON.stringify(payload).length > maxBytes)
    throw invalidParam(path, 'must not be over 64 KiB')
  const pays =
    payload !== undefined ||
    headers['payment-signature'] !== undefined ||
    /^(l402|lsat|payment) /i.test(headers.authorization ?? '')
  return { payment: { headers, meta: metadata }, pays, rejected: rejected && payload === undefined }
}

/** Whether a task waits for its payment to be confirmed, so that the same payment may be sent again. */
export const awaitsConfirmation = (message: Message | null): boolean =>
  message?.metadata?.['x402.payment.status'] === 'payment-verified'

/** Metadata of the answer to a payment that was not accepted; undefined when the failure is not about the payment. */
export const refusedMetadata = ({ extra, code }: ToolError): Fields | undefined => {
  if (extra.payment?.success === true) return undefined
  return code === 'payment_required' || code === 'conflict' ? extra.parts?.a2a : undefined
}
