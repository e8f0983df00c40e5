type Hex = `0x${string}`

/** What the payer of a USDC payment signs (EIP-3009, TransferWithAuthorization). Times are Unix seconds. */
export type Authorization = {
  from: Hex
  to: Hex
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}
