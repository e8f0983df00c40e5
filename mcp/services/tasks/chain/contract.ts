import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  keccak256,
  type PublicClient,
  stringToHex,
} from 'viem'
import { taskEscrow } from '../../../../contracts/task-escrow.ts'
import { taskEscrowPurse } from '../../../../contracts/task-escrow-purse.ts'
import type { EscrowInfo, Place } from './info.ts'

const { abi } = taskEscrow

const infoFields = [
  { name: 'operator', type: 'address' },
  { name: 'payer', type: 'address' },
  { name: 'receiver', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'maxAmount', type: 'uint120' },
  { name: 'preApprovalExpiry', type: 'uint48' },
  { name: 'authorizationExpiry', type: 'uint48' },
  { name: 'refundExpiry', type: 'uint48' },
  { name: 'minFeeBps', type: 'uint16' },
  { name: 'maxFeeBps', type: 'uint16' },
  { name: 'feeReceiver', type: 'address' },
  { name: 'salt', type: 'uint256' },
] as const

const typeHash = keccak256(
  stringToHex(`PaymentInfo(${infoFields.map(({ name, type }) => `${type} ${name}`).join(',')})`),
)

const toArgument = ({ maxAmount, salt, ...info }: EscrowInfo) => ({
  ...info,
  maxAmount: BigInt(maxAmount),
  salt: BigInt(salt),
})

/** The name of a payment, as `getHash` of the contract has it. */
export const hashInfo = (
  { chainId, contract }: Pick<Place, 'chainId' | 'contract'>,
  info: EscrowInfo,
): Hex => {
  const fields = encodeAbiParameters(
    [{ type: 'bytes32' }, { type: 'tuple', components: infoFields }],
    [typeHash, toArgument(info)],
  )
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }],
      [BigInt(chainId), contract, keccak256(fields)],
    ),
  )
}

/** Address of a payment, as `purseOf` of the contract has it: it has no code before the payment is authorized. */
export const purseAddress = (place: Pick<Place, 'chainId' | 'contract'>, info: EscrowInfo): Hex =>
  getCreate2Address({
    from: place.contract,
    salt: hashInfo(place, info),
    bytecode: concatHex([taskEscrowPurse.bytecode, encodeAbiParameters([{ type: 'address' }], [info.token])]),
  })

/** State of a payment in the contract. */
export type EscrowState = {
  collected: boolean
  closed: boolean
  capturable: bigint
  captured: bigint
  fees: bigint
  refunded: bigint
}

export const readState = async (
  reader: PublicClient,
  contract: Hex,
  hash: Hex,
  blockNumber?: bigint,
): Promise<EscrowState> =>
  reader.readContract({
    address: contract,
    abi,
    functionName: 'stateOf',
    args: [hash],
    ...(blockNumber !== undefined && { blockNumber }),
  })

/** Reads a payment's purse balance. */
export const readPurse = (reader: PublicClient, token: Hex, purse: Hex): Promise<bigint> =>
  reader.readContract({
    address: token,
    abi: [
      {
        type: 'function',
        name: 'balanceOf',
        stateMutability: 'view',
        inputs: [{ name: 'account', type: 'address' }],
        outputs: [{ type: 'uint256' }],
      },
    ],
    functionName: 'balanceOf',
    args: [purse],
  })

/** The calls of the contract. `capture` names what is held when it is carried out, so that it is carried out once. */
export const encodeCall = {
  authorize: (info: EscrowInfo): Hex =>
    encodeFunctionData({ abi, functionName: 'authorize', args: [toArgument(info)] }),
  capture: (info: EscrowInfo, amount: bigint, fee: bigint, capturable: bigint): Hex =>
    encodeFunctionData({ abi, functionName: 'capture', args: [toArgument(info), amount, fee, capturable] }),
  void: (info: EscrowInfo): Hex =>
    encodeFunctionData({ abi, functionName: 'void', args: [toArgument(info)] }),
  reclaim: (info: EscrowInfo): Hex =>
    encodeFunctionData({ abi, functionName: 'reclaim', args: [toArgument(info)] }),
  returnExcess: (info: EscrowInfo): Hex =>
    encodeFunctionData({ abi, functionName: 'returnExcess', args: [toArgument(info)] }),
}
