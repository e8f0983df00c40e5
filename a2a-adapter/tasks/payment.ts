import type { World } from '../../mcp/kernel/call.ts'
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

/** Reads a message's payment: what may pay, or that the client will not. Throws -32602 for a bad payload. */
export const paymentIn = (
  { gate }: World,
  { metadata = {} }: Message,
  { payment, request }: Evidence,
): { payment: PaymentEvidence; pays: boolean; rejected: boolean } => {
  const { headers } = payment
  const payload = metadata['x402.payment.payload'] ?? undefined
  const rejected = metadata['x402.payment.status'] === 'payment-rejected'
  const path = 'message.metadata.x402.payment.payload'
  if (payload !== undefined && !isRecord(payload))
    throw invalidParam(path, 'must be an x402 payment payload, which is an object')
  if (payload !== undefined && JSON.stringify(payload).length > maxBytes)
    throw invalidParam(path, 'must not be over 64 KiB')
  const evidence = { headers, meta: metadata, extensions: extensionsAsked(request.headers) }
  const pays = gate?.hasPayment(evidence) ?? false
  return { payment: evidence, pays, rejected: rejected && !pays }
}

/** The extensions that a request asks for, by their URIs; older clients name the header with an X. */
const extensionsAsked = (headers: Readonly<Record<string, string | undefined>>): string[] =>
  ['a2a-extensions', 'x-a2a-extensions'].flatMap(name =>
    (headers[name] ?? '')
      .split(',')
      .map(uri => uri.trim())
      .filter(uri => uri !== ''),
  )

/** Metadata of the answer to a payment that was not accepted; undefined when the failure is not about the payment. */
export const refusedMetadata = ({ extra, code }: ToolError): Fields | undefined => {
  if (extra.payment?.success === true) return undefined
  return code === 'payment_required' || code === 'conflict' ? extra.parts?.a2a : undefined
}
