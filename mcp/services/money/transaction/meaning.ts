/** Purposes of transactions that move stablecoins. */
export const meanings = [
  'x402_payment',
  'transfer',
  'cancellation',
  'approval',
  'user_operations',
  'cctp_burn',
  'cctp_mint',
  'batch',
] as const

export type Meaning = (typeof meanings)[number]
