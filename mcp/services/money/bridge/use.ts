import { type Hex, isAddressEqual, pad, parseEventLogs, toEventSelector } from 'viem'
import { authorizationUseAbi } from './abi.ts'
import type { Bridge } from './bridge.ts'
import type { BridgeRoute } from './chains.ts'
import { findLog } from './logs.ts'
import { authorizationNonce, type BridgeTransfer } from './transfer.ts'

/**
 * What became of an authorization that no lane has burned. `delivered`: its money went to the lane, in the transaction that a stranger
 * sent. `elsewhere`: it was cancelled, or its money went to somebody else.
 */
export type TransferUse =
  | { state: 'delivered'; transaction: Hex; block: bigint }
  | { state: 'elsewhere' }
  | { state: 'unknown' }

const authorizationUsedTopic = toEventSelector('AuthorizationUsed(address,bytes32)')
const authorizationCanceledTopic = toEventSelector('AuthorizationCanceled(address,bytes32)')

/**
 * Tells a used authorization from a cancelled one. The token's state is the same for both, and whoever believes it spends the money of
 * another payer: the logs differ, and only `AuthorizationUsed` with the `Transfer` to the lane right behind it is a payment.
 */
export const findTransferUse = async (
  bridge: Bridge,
  { from }: BridgeRoute,
  transfer: BridgeTransfer,
): Promise<TransferUse> => {
  const chain = bridge.source(from.name)
  const reader = await chain.reader()
  const { payer, payTo, value, created } = transfer
  const nonce = authorizationNonce(transfer)
  // Somebody may have carried it an hour before it came to us.
  const seconds = (bridge.now().getTime() - Date.parse(created)) / 1000 + 3_600
  const topics = [[authorizationUsedTopic, authorizationCanceledTopic], pad(payer as Hex), nonce]
  const log = await findLog(
    reader,
    { address: from.usdc, topics },
    { seconds, blockMs: chain.network.blockMs },
  )
  if (!log) return { state: 'unknown' }
  if (log.topics[0] === authorizationCanceledTopic) return { state: 'elsewhere' }
  const receipt = await reader.getTransactionReceipt({ hash: log.transactionHash })
  const own = receipt.logs.filter(({ address }) => isAddressEqual(address, from.usdc))
  const at = own.findIndex(({ logIndex }) => logIndex === log.logIndex)
  const [next] = parseEventLogs({
    abi: authorizationUseAbi,
    eventName: 'Transfer',
    logs: own.slice(at + 1, at + 2),
  })
  const isDelivery =
    next !== undefined &&
    isAddressEqual(next.args.from, payer as Hex) &&
    isAddressEqual(next.args.to, payTo as Hex) &&
    next.args.value === BigInt(value)
  return isDelivery
    ? { state: 'delivered', transaction: log.transactionHash, block: receipt.blockNumber }
    : { state: 'elsewhere' }
}
