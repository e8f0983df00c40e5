import { decodeAbiParameters, encodeFunctionData, type Hex, numberToHex, pad, toEventSelector } from 'viem'
import { stablecoinBridge } from '../../../../contracts/stablecoin-bridge.ts'
import { type HeaderFields, proveReceipt, type ReceiptFields } from '../../../lib/receipt-proof.ts'
import type { Bridge } from './bridge.ts'
import type { BridgeRoute } from './chains.ts'
import { forwardHook, type RouteArgument, routeFields } from './route-argument.ts'
import { authorizationNonce, type BridgeTransfer, laneOf } from './transfer.ts'
import type { TransferUse } from './use.ts'

type Delivered = Extract<TransferUse, { state: 'delivered' }>

const authorizationUsedTopic = toEventSelector('AuthorizationUsed(address,bytes32)')

/** The proof that the contract asks for; undefined where the node's receipts do not have the hashes of their block. */
const prove = async (bridge: Bridge, { from }: BridgeRoute, transfer: BridgeTransfer, use: Delivered) => {
  const reader = await bridge.source(from.name).reader()
  const number = numberToHex(use.block)
  const [block, receipts] = (await Promise.all([
    reader.request({ method: 'eth_getBlockByNumber', params: [number, false] }),
    reader.request({ method: 'eth_getBlockReceipts' as never, params: [number] as never }),
  ])) as unknown as [HeaderFields, (ReceiptFields & { transactionHash: Hex })[]]
  const index = receipts.findIndex(({ transactionHash }) => transactionHash === use.transaction)
  const receipt = receipts[index]
  const proof = proveReceipt(block, receipts, index)
  if (!proof || !receipt) return undefined
  const nonce = authorizationNonce(transfer).toLowerCase()
  const log = receipt.logs.findIndex(
    ({ address, topics }) =>
      address.toLowerCase() === from.usdc.toLowerCase() &&
      topics[0] === authorizationUsedTopic &&
      topics[1]?.toLowerCase() === pad(transfer.payer as Hex).toLowerCase() &&
      topics[2]?.toLowerCase() === nonce,
  )
  return log < 0 ? undefined : { ...proof, log: BigInt(log) }
}

const readArgument = ({ collector }: BridgeTransfer): RouteArgument | undefined => {
  if (!collector) return undefined
  const data = `${pad('0x20', { size: 32 })}${collector.argument.slice(2)}` as Hex
  const [route] = decodeAbiParameters([{ type: 'tuple', components: routeFields }], data)
  return route
}

/**
 * How the money may be burned, in order: as it was quoted; with the fees of now, where what was paid covers them; and without Circle's
 * forwarder, which leaves the payer all but what the bridge keeps and has to be carried over by somebody.
 */
const candidates = async (
  bridge: Bridge,
  { from, to }: BridgeRoute,
  transfer: BridgeTransfer,
): Promise<RouteArgument[]> => {
  const quoted = readArgument(transfer)
  if (!quoted) return []
  const value = BigInt(transfer.value)
  const keptAmount = BigInt(transfer.kept)
  const { amount } = quoted
  const fees = await bridge
    .iris()
    .then(iris => iris.fees(from.domain, to.domain))
    .catch(() => undefined)
  const plain = { ...quoted, signedQuote: '0x' } as const
  const maxFee = value - amount - keptAmount
  return [
    quoted,
    ...(fees && maxFee > 0n ? [{ ...plain, maxFee, minFinality: fees.finality, hookData: forwardHook }] : []),
    { ...plain, amount: value - keptAmount, maxFee: 0n, minFinality: 2000, hookData: '0x' },
  ]
}

/** A block after the payment's must be there: a call in the newest block does not know that block's hash. */
const hasSuccessor = async (
  bridge: Bridge,
  { from }: BridgeRoute,
  { block }: Delivered,
): Promise<boolean> => {
  const chain = bridge.source(from.name)
  const reader = await chain.reader()
  if ((await reader.getBlockNumber({ cacheTime: 0 })) > block) return true
  // A local chain makes blocks only when something happens.
  if (chain.devnet) await reader.request({ method: 'anvil_mine' as never, params: ['0x1'] as never })
  return chain.devnet
}

/** Arguments that name a delivered payment to the lane, and their proof; undefined where the chain does not show it yet, or any more. */
const proveDelivery = async (
  bridge: Bridge,
  route: BridgeRoute,
  transfer: BridgeTransfer,
  use: Delivered,
) => {
  if (!(await hasSuccessor(bridge, route, use))) return undefined
  const proof = await prove(bridge, route, transfer, use)
  if (!proof) return undefined
  const payment = [transfer.payer as Hex, authorizationNonce(transfer), BigInt(transfer.value)] as const
  return { payment, proof: { ...proof, nodes: [...proof.nodes] } }
}

/** Sends the first of some calls of the lane that would not revert. False when all would. */
const carryFirst = async (
  bridge: Bridge,
  { from }: BridgeRoute,
  transfer: BridgeTransfer,
  calls: readonly Hex[],
  onSigned: (hash: string) => Promise<void>,
): Promise<boolean> => {
  const reader = await bridge.source(from.name).reader()
  const relayer = await bridge.relayer(from)
  for (const data of calls) {
    const call = { to: laneOf(transfer), data }
    const works = await reader.call({ account: relayer.address, ...call }).then(
      () => true,
      () => false,
    )
    if (!works) continue
    await relayer.carry({ ...call, onSigned: ({ hash }) => onSigned(hash) }, 20_000)
    return true
  }
  return false
}

/**
 * Burns a payment that a stranger carried to the token before us, with a proof that its money came to its purse. The contract takes each
 * authorization once and believes the proof only. `onSigned` is told of the transaction before it is broadcast. False when
 * it cannot be done yet.
 */
export const finishTransfer = async (
  bridge: Bridge,
  route: BridgeRoute,
  transfer: BridgeTransfer,
  use: Delivered,
  onSigned: (hash: string) => Promise<void>,
): Promise<boolean> => {
  const delivery = await proveDelivery(bridge, route, transfer, use)
  if (!delivery) return false
  const calls = (await candidates(bridge, route, transfer)).map(argument =>
    encodeFunctionData({
      abi: stablecoinBridge.abi,
      functionName: 'finish',
      args: [...delivery.payment, argument, delivery.proof],
    }),
  )
  return carryFirst(bridge, route, transfer, calls, onSigned)
}

/** Returns such a payment to its payer, by the same proof. False when it cannot be done yet, or any more. */
export const returnTransfer = async (
  bridge: Bridge,
  route: BridgeRoute,
  transfer: BridgeTransfer,
  use: Delivered,
  onSigned: (hash: string) => Promise<void>,
): Promise<boolean> => {
  const delivery = await proveDelivery(bridge, route, transfer, use)
  const argument = readArgument(transfer)
  if (!delivery || !argument) return false
  const call = encodeFunctionData({
    abi: stablecoinBridge.abi,
    functionName: 'giveBack',
    args: [...delivery.payment, argument.terms, delivery.proof],
  })
  return carryFirst(bridge, route, transfer, [call], onSigned)
}
