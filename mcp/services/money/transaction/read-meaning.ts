import { type Hex, type Log, parseAbi, parseEventLogs, toEventSelector, toFunctionSelector } from 'viem'
import type { Meaning } from './meaning.ts'

const methods: readonly [signature: string, meaning: Meaning][] = [
  [
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'x402_payment',
  ],
  ['transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)', 'x402_payment'],
  [
    'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'x402_payment',
  ],
  ['receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)', 'x402_payment'],
  ['cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)', 'cancellation'],
  ['cancelAuthorization(address,bytes32,bytes)', 'cancellation'],
  ['transfer(address,uint256)', 'transfer'],
  ['transferFrom(address,address,uint256)', 'transfer'],
  ['approve(address,uint256)', 'approval'],
  ['permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', 'approval'],
  [
    'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)',
    'user_operations',
  ],
  ['depositForBurn(uint256,uint32,bytes32,address,bytes32,uint256,uint32)', 'cctp_burn'],
  ['depositForBurnWithHook(uint256,uint32,bytes32,address,bytes32,uint256,uint32,bytes)', 'cctp_burn'],
  ['receiveMessage(bytes,bytes)', 'cctp_mint'],
  ['aggregate3((address,bool,bytes)[])', 'batch'],
  ['multicall(bytes[])', 'batch'],
]

const bySelector = new Map(
  methods.map(([signature, meaning]) => [
    toFunctionSelector(signature),
    { name: signature.slice(0, signature.indexOf('(')), meaning },
  ]),
)

/** The name and the meaning of what a transaction calls; undefined for what is not in the table. */
export const readMethod = (data: Hex): { name: string; meaning: Meaning } | undefined =>
  bySelector.get(data.slice(0, 10) as Hex)

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
