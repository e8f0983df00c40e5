/** The part of USDC (ERC-20 with EIP-3009) that payments use. */
export const usdcAbi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'authorizationState',
    stateMutability: 'view',
    inputs: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'value', type: 'uint256', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'AuthorizationUsed',
    inputs: [
      { name: 'authorizer', type: 'address', indexed: true },
      { name: 'nonce', type: 'bytes32', indexed: true },
    ],
  },
] as const

/** Fields of a transfer with authorization, in the order of EIP-3009; EIP-712 signs the same ones. */
export const authorizationFields = [
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
      ...authorizationFields,
      { name: 'v', type: 'uint8' },
      { name: 'r', type: 'bytes32' },
      { name: 's', type: 'bytes32' },
    ],
  },
  { ...fact, inputs: [...authorizationFields, { name: 'signature', type: 'bytes' }] },
] as const

/** Multicall3, at one address on all five chains. */
export const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
