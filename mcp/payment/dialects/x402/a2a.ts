type Fields = Readonly<Record<string, unknown>>

/** Extension URIs of A2A under which x402 is spoken in version 1. */
const version1 = /\/a2a-x402\/(?:blob\/[^/]+\/spec\/)?v0\.1$/

/** Whether a client activates the extension in its first version, whose objects are of x402 version 1. */
export const speaksV1 = (extensions: readonly string[] = []): boolean =>
  extensions.some(uri => version1.test(uri))

/** Words in our reasons, and the error codes of the A2A x402 extension that they come to. */
const errorCodes: readonly [RegExp, string][] = [
  [/insufficient|balance/i, 'INSUFFICIENT_FUNDS'],
  [/nonce|already|used|duplicate|replay/i, 'DUPLICATE_NONCE'],
  [/expired|not_yet|valid_?before|valid_?after|deadline/i, 'EXPIRED_PAYMENT'],
  [/signature|signer/i, 'INVALID_SIGNATURE'],
  [/network|chain/i, 'NETWORK_MISMATCH'],
  [/amount|value|too_little|too_much/i, 'INVALID_AMOUNT'],
]

const errorCode = (reason: string): string =>
  errorCodes.find(([words]) => words.test(reason))?.[1] ?? 'SETTLEMENT_FAILED'

/**
 * What became of a payment as the metadata of an A2A message tells it (a2a-x402, section "Payment status"); `receipt` is the same
 * in the version that the client speaks.
 */
export const reportOverA2a = (payment: Fields, receipt: Fields): Fields => {
  const receipts = { 'x402.payment.receipts': [receipt] }
  if (payment.success === true) return { 'x402.payment.status': 'payment-completed', ...receipts }
  const reason = String(payment.errorReason ?? '')
  if (reason === 'settlement_pending') return { 'x402.payment.status': 'payment-verified', ...receipts }
  return {
    'x402.payment.status': 'payment-failed',
    'x402.payment.error': errorCode(reason),
    ...receipts,
  }
}
