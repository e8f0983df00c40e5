type Hex = `0x${string}`

/** Authorization a USDC payer signs (EIP-3009, TransferWithAuthorization). Times are Unix seconds. */
export type Authorization = {
  from: Hex
  to: Hex
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}
