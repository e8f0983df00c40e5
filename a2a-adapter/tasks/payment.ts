import { type PaymentPending, PaymentRequired, settled, type ToolError } from '../../mcp/kernel/error.ts'
import type { Receipt } from '../../mcp/kernel/tool.ts'
import { isRecord } from '../../mcp/lib/json.ts'
import { invalidParam } from '../wire/failure.ts'
import type { Fields } from '../wire/fields.ts'
import type { Message } from '../wire/message.ts'

/** The x402 extension of A2A: the version now and the one that older clients ask for. Both mean the same flow here. */
export const x402Extensions = [
  'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2',
  'https://github.com/google-a2a/a2a-x402/v0.1',
] as const

const most = 65_536

/** What a message says about payment: the payload, or that the client will not pay. Throws -32602 for a bad payload. */
export const paymentIn = ({ metadata = {} }: Message): { payload?: Fields; rejected: boolean } => {
  const payload = metadata['x402.payment.payload']
  const rejected = metadata['x402.payment.status'] === 'payment-rejected'
  if (payload === undefined || payload === null) return { rejected }
  const path = 'message.metadata.x402.payment.payload'
  if (!isRecord(payload)) throw invalidParam(path, 'must be an x402 payment payload, which is an object')
  if (JSON.stringify(payload).length > most) throw invalidParam(path, 'must not be over 64 KiB')
  return { payload, rejected: false }
}

/** Metadata of the message that asks for a payment. */
export const requiredMetadata = (required: Fields): Fields => ({
  'x402.payment.status': 'payment-required',
  'x402.payment.required': required,
})

/** Metadata of the answer to a paid call. */
export const completedMetadata = (receipt: Receipt): Fields => ({
  'x402.payment.status': 'payment-completed',
  'x402.payment.receipts': [settled(receipt)],
})

/** Metadata of a payment that is good and being confirmed. */
export const verifiedMetadata = ({ extra }: PaymentPending): Fields => ({
  'x402.payment.status': 'payment-verified',
  ...(extra.payment && { 'x402.payment.receipts': [extra.payment] }),
})

/** Whether a task waits for its payment to be confirmed, so that the same payment may be sent again. */
export const awaitsConfirmation = (message: Message | null): boolean =>
  message?.metadata?.['x402.payment.status'] === 'payment-verified'

/** Words in the reasons of x402 facilitators, and the error codes of the extension they come to. */
const reasons: readonly [RegExp, string][] = [
  [/insufficient|balance/i, 'INSUFFICIENT_FUNDS'],
  [/nonce|already|used|duplicate|replay/i, 'DUPLICATE_NONCE'],
  [/expired|not_yet|valid_?before|valid_?after|deadline/i, 'EXPIRED_PAYMENT'],
  [/signature|signer/i, 'INVALID_SIGNATURE'],
  [/network|chain/i, 'NETWORK_MISMATCH'],
  [/amount|value|too_little/i, 'INVALID_AMOUNT'],
]

const reasonOf = (error: ToolError): string => {
  const stated = error instanceof PaymentRequired ? error.required.error : undefined
  return typeof stated === 'string' ? stated : error.message
}

/** Metadata of the answer to a payment that was not accepted; undefined when the failure is not about the payment. */
export const refusedMetadata = (error: ToolError, offer: Fields | null): Fields | undefined => {
  if (error.extra.payment?.success === true) return undefined
  if (error.code !== 'payment_required' && error.code !== 'conflict') return undefined
  const reason = reasonOf(error)
  const [first] = Array.isArray(offer?.accepts) ? offer.accepts : []
  const network = isRecord(first) && typeof first.network === 'string' ? first.network : ''
  return {
    'x402.payment.status': 'payment-failed',
    'x402.payment.error': reasons.find(([words]) => words.test(reason))?.[1] ?? 'SETTLEMENT_FAILED',
    'x402.payment.receipts': [{ success: false, errorReason: reason, network, transaction: '' }],
  }
}
