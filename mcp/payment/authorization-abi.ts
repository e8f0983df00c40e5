const authorization = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

const fact = {
  type: 'function',
  name: 'transferWithAuthorization',
  stateMutability: 'nonpayable',
  outputs: [],
} as const

/** Both forms of transferWithAuthorization (EIP-3009, and with packed signature bytes as USDC 2.2 has it). */
export const authorizationAbi = [
  {
    ...fact,
    inputs: [
      ...authorization,
      { name: 'v', type: 'uint8' },
      { name: 'r', type: 'bytes32' },
      { name: 's', type: 'bytes32' },
    ],
  },
  { ...fact, inputs: [...authorization, { name: 'signature', type: 'bytes' }] },
] as const
