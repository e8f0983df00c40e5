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
import { type Price, usd } from '../../../kernel/tool.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { addressOf } from '../account.ts'
import {
  type DepositTerms,
  depositCollection,
  depositIndexes,
  depositsIn,
  type EscrowChain,
  type EscrowInfo,
  type Place,
  reclaimTime,
  toEscrowInfo,
} from '../chain.ts'
import { computeDeposit } from '../money.ts'
import type { Task } from '../task.ts'

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
const hashInfo = ({ chainId, contract }: Pick<Place, 'chainId' | 'contract'>, info: EscrowInfo): Hex => {
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
const purseAddress = (place: Pick<Place, 'chainId' | 'contract'>, info: EscrowInfo): Hex =>
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

/** How many payments for a task went back: the next one is made elsewhere, since a purse is used once. */
const countReturned = async (store: Tx, task: string): Promise<number> => {
  const { rows } = await depositsIn(store).find({ index: 'task', where: { task }, limit: 1000 })
  return rows.filter(({ state }) => state === 'returning').length
}

/** Quotes an assignment whose money is held on the chain: bounty and fee, paid to an address made from the terms. */
export const quoteOnChain = async (
  store: Tx,
  chain: EscrowChain,
  task: Task,
  worker: string,
): Promise<Price> => {
  const [place, attempt] = await Promise.all([chain.place(), countReturned(store, task.id)])
  const sides = { publisher: addressOf(task.publisher), worker: addressOf(worker), attempt }
  const info = await toEscrowInfo(place, task, sides)
  const { contract } = place
  const purse = purseAddress(place, info)
  const row: DepositTerms = {
    contract,
    hash: hashInfo(place, info),
    purse,
    info,
    task: task.id,
    worker,
    state: 'quoted',
  }
  const needed = formatUsd(computeDeposit(task.funds))
  return {
    ...usd(needed),
    terms: {
      kind: 'eip3009',
      payTo: purse,
      amount: info.maxAmount,
      journal: { collection: depositCollection, indexes: depositIndexes, row },
    },
    reason: {
      reason: 'escrow_required',
      detail: `The task needs ${needed} USD in escrow on Base, fee included.`,
      params: {
        needed_usd: needed,
        contract,
        pay_to: purse,
        reclaim_after: reclaimTime(task).toISOString(),
      },
      hint: 'Pay with this call, from the wallet that published: what is not paid to the worker goes back there.',
    },
  }
}
