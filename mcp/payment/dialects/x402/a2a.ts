type Fields = Readonly<Record<string, unknown>>

/** The extension of A2A for x402, by the version in its URI. */
const extension = /\/a2a-x402\/(?:blob\/[^/]+\/spec\/)?v(\d+\.\d+)$/

/** True when a client activates the extension in its first version only, whose objects are of x402 version 1. */
export const speaksV1 = (extensions: readonly string[] = []): boolean => {
  const versions = extensions.flatMap(uri => extension.exec(uri)?.[1] ?? [])
  return versions.length > 0 && versions.every(version => version === '0.1')
}

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
