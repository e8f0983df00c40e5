type Fields = Readonly<Record<string, unknown>>

/** Words in our reasons, and the error codes of the A2A x402 extension that they come to. */
const errorCodes: readonly [RegExp, string][] = [
  [/insufficient|balance/i, 'INSUFFICIENT_FUNDS'],
  [/nonce|already|used|duplicate|replay/i, 'DUPLICATE_NONCE'],
  [/expired|not_yet|valid_?before|valid_?after|deadline/i, 'EXPIRED_PAYMENT'],
  [/signature|signer/i, 'INVALID_SIGNATURE'],
  [/network|chain/i, 'NETWORK_MISMATCH'],
  [/amount|value|too_little/i, 'INVALID_AMOUNT'],
]

const errorCode = (reason: string): string =>
  errorCodes.find(([words]) => words.test(reason))?.[1] ?? 'SETTLEMENT_FAILED'

/** What became of a payment as the metadata of an A2A message tells it (a2a-x402, section "Payment status"). */
export const reportOverA2a = (payment: Fields): Fields => {
  const receipts = { 'x402.payment.receipts': [payment] }
  if (payment.success === true) return { 'x402.payment.status': 'payment-completed', ...receipts }
  if (payment.errorReason === 'settlement_pending')
    return { 'x402.payment.status': 'payment-verified', ...receipts }
  const code = errorCode(String(payment.errorReason ?? ''))
  return { 'x402.payment.status': 'payment-failed', 'x402.payment.error': code, ...receipts }
}
