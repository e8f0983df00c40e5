import { type Hex, type Log, parseAbi, parseEventLogs, toEventSelector } from 'viem'
import { findMethod } from '../../../lib/evm-signatures.ts'
import type { Meaning } from './meaning.ts'

const byMethod: Readonly<Record<string, Meaning>> = {
  transferWithAuthorization: 'x402_payment',
  receiveWithAuthorization: 'x402_payment',
  cancelAuthorization: 'cancellation',
  transfer: 'transfer',
  transferFrom: 'transfer',
  approve: 'approval',
  permit: 'approval',
  handleOps: 'user_operations',
  depositForBurn: 'cctp_burn',
  depositForBurnWithHook: 'cctp_burn',
  receiveMessage: 'cctp_mint',
  aggregate3: 'batch',
  multicall: 'batch',
}

/** The name and the meaning of what a transaction calls; undefined for what means nothing here. */
export const readMethod = (data: Hex): { name: string; meaning: Meaning } | undefined => {
  const name = findMethod(data)?.name ?? ''
  const meaning = Object.hasOwn(byMethod, name) ? byMethod[name] : undefined
  return meaning && { name, meaning }
}

const operationAbi = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
])

/** Entry points of ERC-4337, versions 0.6 to 0.9: what others say of operations is nothing. */
const entryPoints = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
])

/** User operations (ERC-4337) that a transaction carried, and whether each did its work. */
export const readOperations = (logs: readonly Log[]) =>
  parseEventLogs({
    abi: operationAbi,
    logs: logs.filter(({ address }) => entryPoints.has(address.toLowerCase())),
  }).map(({ args: { userOpHash, sender, paymaster, success } }) => ({
    user_op_hash: userOpHash,
    sender,
    paymaster: /^0x0{40}$/.test(paymaster) ? null : paymaster,
    success,
  }))

const burn = toEventSelector(
  'DepositForBurn(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)',
)
const mint = toEventSelector('MintAndWithdraw(address,uint256,address,uint256)')
const cancellation = toEventSelector('AuthorizationCanceled(address,bytes32)')

/** TokenMessengerV2 of CCTP, at one address on all chains but some. */
const messenger = '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d'

/** Reads what a transaction did from its logs, next to moving money. */
export const readLogMeanings = (logs: readonly Log[], token: Hex): Meaning[] => {
  const has = (topic: Hex, address: string) =>
    logs.some(log => log.topics[0] === topic && log.address.toLowerCase() === address.toLowerCase())
  return [
    ...(has(burn, messenger) ? (['cctp_burn'] as const) : []),
    ...(has(mint, messenger) ? (['cctp_mint'] as const) : []),
    ...(has(cancellation, token) ? (['cancellation'] as const) : []),
  ]
}
